"""The driver with events: smooth steps between impacts, releases and changes of stick and slip, which are located."""
