import RenderWorker

WorkerProgram.main()
