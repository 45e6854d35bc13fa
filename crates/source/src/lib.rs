//! What can be told from a source tree by reading it: verbatim texts, secrets, security anti-patterns. No network, no processes.
