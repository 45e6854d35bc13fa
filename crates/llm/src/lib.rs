//! Language models: providers, retry, limits, price, cache. Owns money and secrets.
