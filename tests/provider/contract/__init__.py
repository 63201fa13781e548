"""One table of cases for both front ends: what they are asked, and that they answer, and send, the same."""
