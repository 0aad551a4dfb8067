package import CommandLine

extension JSONForm {
    /// `woodshed doctor`
    package static let doctor = JSONForm(
        """
        findings[].subject  what was checked
        findings[].state  ok, skipped (not checked), warning or problem
        findings[].message  what was found
        findings[].remedy  what fixes it
        """)

    /// `woodshed select`
    package static let select = JSONForm(
        """
        from  where the page's image came from: memory, disk or rendered
        bytes  how large it is
        """)

    /// `woodshed config check`
    package static let configCheck = JSONForm(
        """
        file  the configuration file
        faults[]  what is wrong
        faults[].file  the file that it is in
        faults[].line  its line
        faults[].column  and column
        faults[].environment  or the environment variable
        faults[].flag  or the flag
        faults[].message  what is wrong with it
        notes[]  what is unusual but not a mistake; same fields as faults
        notes[].file  the file that it is in
        notes[].line  its line
        notes[].column  and column
        notes[].environment  or the environment variable
        notes[].flag  or the flag
        notes[].message  what is unusual about it
        """)

    /// `woodshed config show`
    package static let configShow = JSONForm(
        """
        options.*.value  the value in effect
        options.*.from  where it came from
        paths.*  one of woodshed's folders or files
        """)
}
