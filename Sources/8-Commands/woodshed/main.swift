import Commands

Commands.Woodshed.main()
