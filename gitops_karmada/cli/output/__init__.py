"""How results look: text for people, JSON and YAML for programs. Data goes to stdout, messages to stderr."""
