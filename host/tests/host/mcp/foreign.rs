//! Clients of others: the conformance suite, the Inspector and the SDK for Python.
