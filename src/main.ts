// Entry: hands the command line to cli/.

// Before anything else is loaded: errors and slow statements are named by the sources, not by the files of the build.
process.setSourceMapsEnabled(true)
const { runCommandLine } = await import('./cli/command-line.ts')

process.exitCode = await runCommandLine(process.argv.slice(2))
