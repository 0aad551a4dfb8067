/// The file that tells backup programs to leave the cache out (https://bford.info/cachedir/).
enum CacheTag {
    static let name = "CACHEDIR.TAG"

    static let text = """
        Signature: 8a477f597d28d172789f06886806bc55
        # Woodshed's page images. All of them can be drawn again: leave them out of backups, delete them when space is short.

        """
}
