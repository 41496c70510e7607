"""Linear analyses of rotors, one per file: modes, Campbell map, critical speeds, unbalance response, static state."""
