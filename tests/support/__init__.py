"""What tests run on: the real provider host, servers that return scripted responses, sessions, and a clock to push."""
