"""The acceptance run: proves on a real account what the package believes of servers, and changes nothing else there."""
