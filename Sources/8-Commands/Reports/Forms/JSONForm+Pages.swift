package import CommandLine
package import Model

extension JSONForm where Source == JSONText {
    /// `woodshed why`
    package static let why = JSONForm<JSONText>(
        """
        attachment  the attachment's id
        filename  what the service calls the chart
        chart  SHA-256 of its file
        chart_file  where that is
        pages  how many pages it has
        page  the page in question
        variant  plain, annotated or thumbnail
        drawn_as  the variant whose image is shown for it
        size  the longer side, in pixels
        scaled_from  the longer side of the image it is scaled down from
        paper  the paper colour
        renderer  what draws it
        fonts  a digest of the fonts here, if the chart does not embed its own
        marks  a digest of the marks on this page
        layers[].name  a layer with marks on this page
        layers[].person  whose it is
        layers[].file  your file, if it comes from one
        layers[].shown  whether it is drawn
        layers[].marks  how many marks it has on this page
        layers[].changed_at  when it was last changed
        layers[].older  whether they were made on an older version of the page
        unread[]  your mark files for this chart that cannot be read, and why
        not_drawn[]  what in your mark files for this chart is not drawn as it was made
        news[]  what was saved but is not drawn yet
        image  the file of the image
        condition  whole, missing, damaged or unreadable
        last  what last happened to an image of this page
        last.image  its name
        last.same  whether it is the one wanted now
        last.fate  what happened to it
        last.time  when
        last.renderer  what drew it
        missing_because  why it is missing: one of the misses in 'woodshed cache stats'
        in_the_way[]  what keeps it from being made
        prospect  who will make it
        kept_for  the plan that needs it
        made_again_by[]  what would make it again
        """)

    /// `woodshed layers`
    package static let layers = JSONForm<JSONText>(
        """
        attachment  the attachment's id
        chart  SHA-256 of the chart's file
        filename  what the service calls it
        layers[].id  the layer's id
        layers[].name  what it is called
        layers[].person  whose it is
        layers[].file  your file, if it comes from one
        layers[].shown  whether it is drawn
        layers[].pages[].page  a page with marks of it
        layers[].pages[].marks  how many
        layers[].pages[].exists  whether the chart has this page
        layers[].pages[].older  whether they were made on an older version of it
        layers[].copy_of      the file that it is a copy of, if it is left out for that
        layers[].not_drawn[]  what in it is not drawn as it was made
        layers[].older_chart  the file of that older version
        history[].state    the number of a former state of one of your files, for --restore
        history[].file     the file
        history[].until    when marks of this state had vanished
        history[].marks    how many it had
        history[].missing  how many of them are in none of your files for the chart now
        """)

    /// `woodshed cache stats`
    package static let cacheStats = JSONForm<JSONText>(
        """
        folder  where the images are
        images  how many there are
        bytes  what they take up
        variants.*.images  how many of a variant there are
        variants.*.bytes  what those take up
        uses[]  what they are there for, the nearest plan first; null if not known
        uses[].use  plan, far, past or none
        uses[].plan  the plan's id
        uses[].name  what it is called
        uses[].first_time  its first time
        uses[].pinned  whether it is pinned
        uses[].wanted  how many images it needs
        uses[].images  how many are there for it
        uses[].bytes  what those take up
        problem  why it is not known what they are there for
        limits.bytes  what images may take up
        limits.least_free  how much must stay free on the disk
        limits.greatest_age  after how many seconds an image that no plan needs is removed
        disk.total  how large the disk is
        disk.free  how much of it is free
        withheld  how many images are not made for lack of room
        withheld_reason  the same in words
        hits  how often an image that someone asked for was there
        waits  how often an image had to be drawn while someone waited for it
        misses.*  how often an image that a plan needs, or that someone asked for, was missing, by reason
        removals.*  how many images were removed to keep to the limits, by reason
        """)

    /// `woodshed cache verify`
    package static let cacheVerify = JSONForm<JSONText>(
        """
        whole  how many images are intact
        bad[].image  an image that is not
        bad[].removed  whether it could be removed
        unreadable[].image  an image that could not be read
        unreadable[].message  why not
        strangers[]  files that Woodshed did not make
        """)

    /// `woodshed cache trim`
    package static let cacheTrim = JSONForm<JSONText>(
        """
        dry_run  whether this was only a dry run
        images  how many images were removed, or would be
        bytes  what they took up
        removals[].reason  size, disk or age
        removals[].use  what they were there for: plan, far, past or none
        removals[].plan  the plan's id
        removals[].images  how many
        removals[].bytes  what they took up
        excess  by how much the images of pinned plans exceed the limit
        shortage  how much the disk is still short of
        failed  how many could not be removed
        """)

    /// `woodshed cache clear`
    package static let cacheClear = JSONForm<JSONText>(
        """
        what  whose images were removed
        images  how many
        bytes  what they took up
        kept_charts[]  charts whose images are kept, since another plan shows them
        made_again  how many of the images are needed and made again
        failed  how many could not be removed
        """)
}
