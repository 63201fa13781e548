"""The real CLI is interrupted in every way and at every stage; then one calm command must lead to the good end."""
