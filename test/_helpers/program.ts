/**
 * Where scripts/test built the present sources; vitest called by hand runs the sources themselves. Not a name that begins
 * with TILLD_: commands that daemons of the tests start refuse settings that they do not know.
 */
const BUILD = process.env['TEST_BUILD'];

/** What processes of the tests inherit: the path, and where Node keeps compiled code (scripts/test). */
export function inheritedEnv(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? { PATH } : { PATH, NODE_COMPILE_CACHE };
}

/**
 * The daemon, or a command of the operator, as a file for Node. The build is what merchants run, and starts in half the time
 * that the sources take, whose types Node has to strip.
 */
export function programFile(command?: string): string {
  if (BUILD === undefined) return command === undefined ? 'src/main.ts' : `src/cli/${command}.ts`;
  return command === undefined ? `${BUILD}/main.js` : `${BUILD}/tools/${command}.js`;
}
