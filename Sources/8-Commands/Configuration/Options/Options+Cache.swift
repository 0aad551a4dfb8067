package import Model

extension Options {
    /// How much space the page cache may take up.
    package var cacheSettings: CacheSettings {
        CacheSettings(limit: cache.limit, leastFree: cache.leastFree, greatestAge: cache.greatestAge)
    }
}
