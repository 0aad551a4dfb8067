package import CommandLine
import Model

extension JSONForm {
    /// `woodshed ready`
    package static let ready = JSONForm(
        otherwise: [("ready", false)],
        """
        ready  whether it is ready, as the exit code says
        as_of  when it was checked
        last_poll  when the service last answered in full
        failing_polls  what polls have met since then; null if the last one was answered in full
        failing_polls.since  when the first of them failed
        failing_polls.message  what the last of them met
        max_age  how long ago that may be, in seconds
        young  whether it is recent enough
        clock_ahead  by how many seconds this machine's clock seems to be ahead of the service's
        thorough  whether every byte of every image was checked
        lacks[]  why there may be plans that are not known here; it also holds for every known plan
        lacks[].reason  a fixed name
        lacks[].message  the same in words
        lacks[].pages[]  the pages concerned
        lacks[].path  the file concerned
        lacks[].remedy  what fixes it
        plans[]  the plans that were checked
        plans[].id  the plan's id at the service
        plans[].name  what it is called
        plans[].first_time  its first time, a rehearsal's perhaps
        plans[].service_time  its first service
        plans[].standing  coming, pinned, past or far
        plans[].pinned  whether it is kept ready in any case
        plans[].ready  whether nothing is missing from this plan
        plans[].pages  how many pages it has
        plans[].lacks[]  what the plan as a whole is missing
        plans[].lacks[].reason  a fixed name
        plans[].lacks[].message  the same in words
        plans[].lacks[].pages[]  the pages concerned
        plans[].lacks[].path  the file concerned
        plans[].lacks[].remedy  what fixes it
        plans[].notes[]  what is worth knowing but does not keep it from being ready
        plans[].notes[].note  a fixed name
        plans[].notes[].message  the same in words
        plans[].notes[].pages[]  the pages concerned
        plans[].notes[].path  the file concerned
        plans[].charts[]  its charts, in the running order
        plans[].charts[].id  the attachment's id
        plans[].charts[].filename  what the service calls it
        plans[].charts[].item  the item that is played from it
        plans[].charts[].hash  SHA-256 of the file that is here
        plans[].charts[].pages  how many pages it has
        plans[].charts[].images_wanted  how many page images it needs
        plans[].charts[].images_present  how many of them are here and intact
        plans[].charts[].ready  whether nothing is missing
        plans[].charts[].lacks[]  same fields as the plan's
        plans[].charts[].lacks[].reason  a fixed name
        plans[].charts[].lacks[].message  the same in words
        plans[].charts[].lacks[].pages[]  the pages concerned
        plans[].charts[].lacks[].path  the file concerned
        plans[].charts[].lacks[].remedy  what fixes it
        plans[].charts[].notes[]  same fields as the plan's
        plans[].charts[].notes[].note  a fixed name
        plans[].charts[].notes[].message  the same in words
        plans[].charts[].notes[].pages[]  the pages concerned
        plans[].charts[].notes[].path  the file concerned
        stray_marks[]  your mark files that cannot be read, for which the chart is not known
        stray_marks[].path  the file
        stray_marks[].fault  what is wrong with it
        unmatched_marks[]  your mark files that belong to no chart here
        unmatched_marks[].path  the file
        unmatched_marks[].names  the PDF or the chart that it refers to
        marks_on_others[]  your mark files for a chart that no plan shows, or for one of two that are alike
        marks_on_others[].path  the file
        marks_on_others[].attachment  the id of the chart that it is drawn on
        marks_on_others[].other  the id of the chart that it may be meant for
        marks_on_others[].message  the same in words
        marks_beyond[]  marks on pages that their chart does not have
        marks_beyond[].chart  the attachment's id
        marks_beyond[].filename  what the service calls it
        marks_beyond[].chart_pages  how many pages it has
        marks_beyond[].layer  the layer's id
        marks_beyond[].path  your file, if it comes from one
        marks_beyond[].pages[]  the pages that do not exist
        marks_beyond[].message  the same in words
        mark_folders[]  folders of mark files that cannot be read, or only in part
        mark_folders[].path  the folder
        mark_folders[].message  what is wrong with it
        """)

    /// `woodshed status`
    package static let status = ready.adding(
        """
        cache.images  how many page images there are
        cache.bytes  what they take up
        cache.limit  what they may take up
        cache.free  how much is free on their disk
        cache.least_free  how much must stay free there
        agent_running  whether an agent is running on this library
        agent  what it is doing; null if none is running or it does not answer
        agent.version  its version
        agent.process  the number of its process
        agent.since  when it started
        agent.paused  whether it is paused
        agent.paused_until  until when, if that was given
        agent.polls.running  whether it is polling right now
        agent.polls.last_try  when it last polled
        agent.polls.reach  the outcome: reached, offline or notAuthorised
        agent.polls.last_good  when the service last answered in full
        agent.polls.next  when it polls next
        agent.polls.downloads  how many charts it is fetching
        agent.polls.downloaded  how many of them are here
        agent.polls.setbacks[].subject  what could not be fetched
        agent.polls.setbacks[].message  why, and what to do
        agent.rendering.waiting[].lane  how urgent these pages are
        agent.rendering.waiting[].pages  how many are waiting
        agent.rendering.waiting[].images  how many images they have
        agent.rendering.running[].chart  SHA-256 of the chart being drawn right now
        agent.rendering.running[].page  and its page
        agent.rendering.workers  how many processes are drawing
        agent.rendering.most_workers  how many there may be
        agent.watching.folders  how many folders it watches
        agent.watching.missing[]  folders of mark files that are missing
        agent.watching.scanned[]  folders that it checks once a minute, since they cannot be watched
        agent.watching.trouble  why it is not watching anything
        agent.marks[].subject  a mark file, or something else of yours
        agent.marks[].message  what is wrong with it
        agent.complaints[]  whatever else is wrong, a sentence each
        problems[]  everything that is wrong, as 'woodshed status' lists it
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
        plans[].coming  whether it is upcoming, and near enough to be kept ready
        plans[].pinned  whether it is kept ready in any case
        plans[].held_back  what the service says about it that is not accepted yet
        plans[].held_back.charts_kept  how many charts it has here
        plans[].held_back.charts_told  how many the service lists
        plans[].held_back.since  since when
        plans[].held_back.message  why it is not accepted
        plans[].gone_since  since when the service does not list it
        plans[].charts[].id  the attachment's id
        plans[].charts[].filename  what the service calls it
        plans[].charts[].item  the item that is played from it
        plans[].charts[].here  whether its file is here
        plans[].charts[].outdated  whether the service has a newer one
        plans[].charts[].pages  how many pages it has
        plans[].charts[].older_marks[]  pages with marks that were made on an older version
        plans[].charts[].unreadable  why its pages cannot be drawn
        plans[].left_out[].id  an attachment that is not shown
        plans[].left_out[].filename  what the service calls it
        plans[].left_out[].item  what it is attached to
        plans[].left_out[].reason  why it is not shown
        as_of  when the service last answered in full
        """)

    /// `woodshed log`
    package static let log = JSONForm(
        """
        entries[]  the changes, the newest last
        entries[].time  when it was noticed
        entries[].change.kind  a fixed name, such as chartAdded
        entries[].change.plan  the plan's id, if any
        entries[].change.chart  the attachment's id, if any
        entries[].change.layer  the layer's id, if any
        entries[].change.path  the file, if any
        entries[].change.pages[]  the pages, if any
        entries[].change.sentence  the same in words, with times as they are on this machine
        """)

    /// `woodshed sync`
    package static let sync = JSONForm(
        otherwise: [("ready", false)],
        """
        reach  reached, offline or notAuthorised
        ready  whether all upcoming plans are ready now, as 'woodshed ready --plan all' has it
        changes[].kind  what changed, as in 'woodshed log --json'
        changes[].plan  the plan's id, if any
        changes[].chart  the attachment's id, if any
        changes[].layer  the layer's id, if any
        changes[].path  the file, if any
        changes[].pages[]  the pages, if any
        changes[].sentence  the same in words, with times as they are on this machine
        setbacks[].subject  what could not be fetched
        setbacks[].message  why, and what to do
        lacks[]  what else is missing before all is ready, in words
        plans  how many plans are upcoming or pinned
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
        plans  how many plans are upcoming or pinned
        charts  how many charts of theirs are here
        pages  how many pages those have
        images  how many page images are there
        rendered  how many images were made
        failed  how many could not be made
        seconds  how long it took
        """)
}
