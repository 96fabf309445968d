import type { DestinationStream } from 'pino';

/** Where and how a daemon runs, for the person who started it. */
export interface Running {
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly logLevel: string;
  /** Where the first account is made; null where there is one. */
  readonly registerUrl: string | null;
}

/** Longest value shown of one field. */
const MAX_VALUE = 160;

/** Where the first account is made. The token is in the fragment, which no browser sends and no proxy logs. */
export function registrationUrl(baseUrl: string, setupToken: string | null): string {
  return `${baseUrl}/dashboard/register${setupToken === null ? '' : `#setup=${setupToken}`}`;
}

/** The lines that end a start at a terminal. */
export function startedLines({ baseUrl, dataDir, logLevel, registerUrl }: Running): string {
  const lines = [
    `Dashboard  ${registerUrl === null ? `${baseUrl}/dashboard` : `${registerUrl} (make your account)`}`,
    `API docs   ${baseUrl}/docs`,
    `Data       ${dataDir}`,
    `Log        here, from level ${logLevel} (TILLD_LOG_LEVEL); as JSON lines where the output is no terminal`,
    `Stop       Ctrl+C`,
  ];
  return `\n${lines.map((line) => `  ${line}\n`).join('')}\n`;
}

/** Takes the lines of the log and writes them in a form for people. */
export function readableLog(write: (text: string) => void): DestinationStream {
  return { write: (line) => write(readable(line)) };
}

function readable(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const values = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  const clock = shown(time).slice(11, 19);
  const text = [clock, shown(level).padEnd(5), ...(msg === undefined ? [] : [shown(msg)]), ...values].join(
    ' ',
  );
  return `${text}\n${err === undefined ? '' : `${findCause(err)}\n`}`;
}

/** A stack where there is one. */
function findCause(err: unknown): string {
  const stack = typeof err === 'object' && err !== null ? Reflect.get(err, 'stack') : undefined;
  return typeof stack === 'string' ? stack : shown(err);
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
