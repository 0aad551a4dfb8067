package import CommandLine

extension JSONForm {
    /// `woodshed ready`
    package static let ready = JSONForm(
        otherwise: [("ready", false)],
        """
        ready  whether it is ready, as the exit code says
        as_of  when it was looked at
        last_poll  when the service last told everything
        max_age  how long ago that may be, in seconds
        young  whether it is no longer ago than that
        clock_ahead  by how many seconds this machine's clock seems to be ahead of the service's
        thorough  whether every byte of every image was checked
        lacks[]  why plans may be lacking that nobody knows of; each that is known lacks the same
        lacks[].reason  a name that stays
        lacks[].message  the same in words
        lacks[].pages[]  the pages that it is about
        lacks[].path  the file that it is about
        lacks[].remedy  what mends it
        plans[]  the plans that were looked at
        plans[].id  the plan's id at the service
        plans[].name  what it is called
        plans[].first_time  its first time, a rehearsal's perhaps
        plans[].service_time  its first service
        plans[].standing  coming, pinned, past or far
        plans[].pinned  whether it is kept ready in any case
        plans[].ready  whether this plan lacks nothing
        plans[].pages  how many pages it has
        plans[].lacks[]  what it lacks as a whole
        plans[].lacks[].reason  a name that stays
        plans[].lacks[].message  the same in words
        plans[].lacks[].pages[]  the pages that it is about
        plans[].lacks[].path  the file that it is about
        plans[].lacks[].remedy  what mends it
        plans[].notes[]  what is worth knowing and keeps nothing from being ready
        plans[].notes[].note  a name that stays
        plans[].notes[].message  the same in words
        plans[].notes[].pages[]  the pages that it is about
        plans[].notes[].path  the file that it is about
        plans[].charts[]  its charts, in the running order
        plans[].charts[].id  the attachment's id
        plans[].charts[].filename  what the service calls it
        plans[].charts[].item  what is played from it
        plans[].charts[].hash  SHA-256 of the file that is here
        plans[].charts[].pages  how many pages it has
        plans[].charts[].images_wanted  how many page images it needs
        plans[].charts[].images_present  how many of them are here and whole
        plans[].charts[].ready  whether it lacks nothing
        plans[].charts[].lacks[]  as those of the plan
        plans[].charts[].lacks[].reason  a name that stays
        plans[].charts[].lacks[].message  the same in words
        plans[].charts[].lacks[].pages[]  the pages that it is about
        plans[].charts[].lacks[].path  the file that it is about
        plans[].charts[].lacks[].remedy  what mends it
        plans[].charts[].notes[]  as those of the plan
        plans[].charts[].notes[].note  a name that stays
        plans[].charts[].notes[].message  the same in words
        plans[].charts[].notes[].pages[]  the pages that it is about
        plans[].charts[].notes[].path  the file that it is about
        stray_marks[]  your files of marks that cannot be read, of which nobody knows the chart
        stray_marks[].path  the file
        stray_marks[].fault  what is wrong with it
        unmatched_marks[]  your files of marks that belong to no chart here
        unmatched_marks[].path  the file
        unmatched_marks[].names  the PDF or the chart that it names
        marks_on_others[]  your files of marks on a chart that no plan shows, or on one of two that are alike
        marks_on_others[].path  the file
        marks_on_others[].attachment  the id of the chart that it is drawn on
        marks_on_others[].other  the id of the chart that it may be meant for
        marks_on_others[].message  the same in words
        marks_beyond[]  marks on pages that their chart does not have
        marks_beyond[].chart  the attachment's id
        marks_beyond[].filename  what the service calls it
        marks_beyond[].chart_pages  how many pages it has
        marks_beyond[].layer  the layer's id
        marks_beyond[].path  your file, if it is one
        marks_beyond[].pages[]  the pages that there are not
        marks_beyond[].message  the same in words
        mark_folders[]  folders of marks that cannot be looked at, or only in part
        mark_folders[].path  the folder
        mark_folders[].message  what is wrong with it
        """)

    /// `woodshed status`
    package static let status = ready.adding(
        """
        cache.images  how many page images there are
        cache.bytes  what they take
        cache.limit  what they may take
        cache.free  what is free on their disk
        cache.least_free  what is to stay free there
        agent_running  whether an agent works on this library
        agent  what it does; null where none runs or it does not answer
        agent.version  its version
        agent.process  the number of its process
        agent.since  when it started
        agent.paused  whether it rests since you said so
        agent.paused_until  until when, if that was said
        agent.polls.running  whether it asks the service right now
        agent.polls.last_try  when it last did
        agent.polls.reach  what came of it: reached, offline or notAuthorised
        agent.polls.last_good  when the service last told everything
        agent.polls.next  when it asks again
        agent.polls.downloads  how many charts it fetches in this round
        agent.polls.downloaded  how many of them are here
        agent.polls.setbacks[].subject  what did not come
        agent.polls.setbacks[].message  why, and what to do
        agent.rendering.waiting[].lane  how urgent these pages are
        agent.rendering.waiting[].pages  how many wait
        agent.rendering.waiting[].images  how many images they have
        agent.rendering.running[].chart  SHA-256 of the chart that is drawn right now
        agent.rendering.running[].page  and its page
        agent.rendering.workers  how many processes draw
        agent.rendering.most_workers  how many there may be
        agent.watching.folders  how many folders it watches
        agent.watching.missing[]  folders of marks that are not there
        agent.watching.scanned[]  folders that it looks at once a minute, since they cannot be watched
        agent.watching.trouble  why it watches nothing at all
        agent.marks[].subject  a file of marks, or what else of yours is wrong
        agent.marks[].message  what is wrong with it
        agent.complaints[]  whatever else is wrong, a sentence each
        problems[]  all that is wrong, as 'woodshed status' lists it
        """)

    /// `woodshed plans`
    package static let plans = JSONForm(
        """
        plans[].id  the plan's id at the service
        plans[].name  what it is called
        plans[].service_type  the kind of service
        plans[].first_time  its first time, a rehearsal's perhaps
        plans[].service_time  its first service
        plans[].last_time  its last time
        plans[].coming  whether it is near enough to be kept ready
        plans[].pinned  whether it is kept ready in any case
        plans[].held_back  what the service tells of it and is not believed yet
        plans[].held_back.charts_kept  how many charts it has here
        plans[].held_back.charts_told  how many the service tells of
        plans[].held_back.since  since when
        plans[].held_back.message  why it is not believed
        plans[].gone_since  since when the service does not list it
        plans[].charts[].id  the attachment's id
        plans[].charts[].filename  what the service calls it
        plans[].charts[].item  what is played from it
        plans[].charts[].here  whether its file is here
        plans[].charts[].outdated  whether the service has a newer one
        plans[].charts[].pages  how many pages it has
        plans[].charts[].older_marks[]  pages with marks that were made on an older version
        plans[].charts[].unreadable  why its pages cannot be drawn
        plans[].left_out[].id  an attachment that is not shown
        plans[].left_out[].filename  what the service calls it
        plans[].left_out[].item  what it hangs on
        plans[].left_out[].reason  why it is not shown
        as_of  when the service last told everything
        """)

    /// `woodshed log`
    package static let log = JSONForm(
        """
        entries[]  the changes, the newest last
        entries[].time  when it was noticed
        entries[].change.kind  a name that stays, such as chartAdded
        entries[].change.plan  the plan's id, where it befell one
        entries[].change.chart  the attachment's id, where it befell one
        entries[].change.layer  the layer's id, where it befell one
        entries[].change.path  the file, where it befell one
        entries[].change.pages[]  the pages, where it befell some
        entries[].change.sentence  the same in words, with times as they are on this machine
        """)

    /// `woodshed sync`
    package static let sync = JSONForm(
        otherwise: [("ready", false)],
        """
        reach  reached, offline or notAuthorised
        ready  whether all coming plans are ready now, as 'woodshed ready --plan all' has it
        changes[].kind  what changed, as 'woodshed log --json' tells it
        changes[].plan  the plan's id, where it befell one
        changes[].chart  the attachment's id, where it befell one
        changes[].layer  the layer's id, where it befell one
        changes[].path  the file, where it befell one
        changes[].pages[]  the pages, where it befell some
        changes[].sentence  the same in words, with times as they are on this machine
        setbacks[].subject  what did not come
        setbacks[].message  why, and what to do
        lacks[]  what else is lacking for being ready, in words
        plans  how many plans are coming or pinned
        charts  how many charts of theirs are here
        pages  how many pages those have
        images  how many page images are there
        missing  how many are not
        downloaded  how many charts were fetched
        bytes  what those took
        rendered  how many images were made
        failed  how many could not be made
        seconds  how long it took
        """)

    /// `woodshed demo`
    package static let demo = JSONForm(
        """
        plans  how many plans are coming or pinned
        charts  how many charts of theirs are here
        pages  how many pages those have
        images  how many page images are there
        rendered  how many images were made
        failed  how many could not be made
        seconds  how long it took
        """)
}
