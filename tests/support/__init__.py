"""What tests run on: the real provider host, servers that give scripted answers, sessions, and a clock to push."""
