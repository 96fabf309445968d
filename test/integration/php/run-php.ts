import { spawn } from 'node:child_process';

/** From the root of the repository. */
export const LIBRARY = 'packages/php/src/Tilld.php';

/** Runs a program with the library: `$given` is the input; what it returns is the answer, by JSON both ways. */
export async function runPhp<T>(body: string, given: unknown = null): Promise<T> {
  const program = `
    error_reporting(E_ALL);
    set_error_handler(function ($level, $text, $file, $line) { throw new ErrorException($text, 0, $level, $file, $line); });
    require '${LIBRARY}';
    $given = json_decode(stream_get_contents(STDIN), true);
    echo json_encode((function () use ($given) { ${body} })(), JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);`;
  return JSON.parse(await phpProgram(program, JSON.stringify(given))) as T;
}

/** Runs a program; fails where it does. @returns what it printed */
export async function phpProgram(
  program: string,
  input = '',
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const options = { env: { PATH: process.env['PATH'] ?? '', ...env }, stdio: 'pipe' } as const;
  const child = spawn('php', ['-r', program], options);
  child.stdin.end(input);
  const [out, err, code] = await Promise.all([
    child.stdout.toArray(),
    child.stderr.toArray(),
    new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve)),
  ]);
  const text = Buffer.concat(out as Buffer[]).toString('utf8');
  if (code === 0) return text;
  throw new Error(`php ended with ${code}: ${text}${Buffer.concat(err as Buffer[]).toString('utf8')}`);
}
