"""The event driver: smooth steps between located impacts, releases and changes of stick and slip."""
