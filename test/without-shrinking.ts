import fc from "fast-check";

// For mutation tests: that a property fails is enough, its smallest counterexample is not needed.
fc.configureGlobal({ endOnFailure: true });
