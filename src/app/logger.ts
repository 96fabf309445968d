import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { isoTime } from '../domain/iso-time.ts';

/** Fields that may carry a secret, wherever they occur in a log line. */
const SECRET_FIELDS = [
  'password',
  'passphrase',
  'secret',
  'token',
  'authorization',
  'cookie',
  'mnemonic',
  'words',
  'seed',
  'privateKey',
  'apiKey',
];

/** pino's numeric levels. */
const PLAIN_LEVELS: Readonly<Record<number, 'debug' | 'info' | 'warn' | 'error'>> = {
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
};

const NAMES: ReadonlySet<string> = new Set(SECRET_FIELDS);

/**
 * Patterns of secrets inside a text, such as an error message of a library. The time of each is linear in the
 * text, because strangers control the content of an address.
 */
const SECRET_SHAPES: readonly [RegExp, string][] = [
  [/\b([rs]k)_[A-Za-z0-9]{16,}/g, '$1_[redacted]'],
  [/\bwhsec_[A-Za-z0-9+/=]{16,}/g, 'whsec_[redacted]'],
  [/\beyJ[\w-]{8,200}\.[\w-]{8,}\.[\w-]{8,}/g, '[redacted token]'],
  [/(\b(?:https?|wss?|smtps?):\/\/)[^\s/@"']+@/g, '$1[redacted]@'],
  [/\b(Bearer|Basic) [A-Za-z0-9._~+/=-]{8,}/g, '$1 [redacted]'],
];

/** A quick pre-check that every such pattern passes: lines that fail it need no redaction. */
const MAYBE_SECRET = /[rs]k_|whsec_|eyJ|:\/\/|Bearer |Basic /;

/** Redacts everything in a line that has the shape of a secret. */
function redactText(line: string): string {
  if (!MAYBE_SECRET.test(line)) return line;
  return SECRET_SHAPES.reduce((text, [shape, replacement]) => text.replace(shape, replacement), line);
}

/** Most characters buffered until the end of a turn. */
const BUFFERED_CHARS = 16_000;

const STANDARD_OUTPUT = 1;

/**
 * Buffered log output: one write per turn of the event loop, and one at process exit. Never fsynced, because
 * every turn would wait for the disk.
 */
export function logOutput(fd: number): DestinationStream {
  const output = pino.destination({ dest: fd, sync: true });
  let waiting = '';
  let isDue = false;
  const write = (): void => {
    const text = waiting;
    waiting = '';
    if (text !== '') output.write(text);
  };
  process.on('exit', write);
  return {
    write: (line) => {
      waiting += line;
      if (waiting.length > BUFFERED_CHARS) write();
      if (isDue) return;
      isDue = true;
      setImmediate(() => {
        isDue = false;
        write();
      });
    },
  };
}

/**
 * Whether no field name can carry a secret and every value is plain JSON. True for most lines, where pino's
 * redaction would be most of the cost.
 */
function isPlain(fields: unknown): fields is object {
  if (typeof fields !== 'object' || fields === null || fields instanceof Error) return false;
  for (const name in fields) {
    const value: unknown = Reflect.get(fields, name);
    if (NAMES.has(name) || (typeof value === 'object' && value !== null) || typeof value === 'bigint')
      return false;
  }
  return true;
}

/** The program's log: JSON lines, secrets removed by field name and by shape. */
export function createLogger(level: string, destination?: DestinationStream): PinoLogger {
  const paths = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);
  const output = destination ?? logOutput(STANDARD_OUTPUT);
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${isoTime(Date.now())}"`,
      formatters: { level: (label: string) => ({ level: label }) },
      redact: { paths, censor: '[redacted]' },
      hooks: {
        streamWrite: redactText,
        logMethod(args, method, level) {
          const [fields, message] = args;
          const name = PLAIN_LEVELS[level];
          const isText = typeof message === 'string' && args.length === 2;
          if (name === undefined || !isText || !isPlain(fields)) method.apply(this, args);
          else output.write(redactText(plainLine(name, fields, message)));
        },
      },
    },
    output,
  );
}

/** Formats a line as pino does. */
function plainLine(level: string, fields: object, msg: string): string {
  return `${JSON.stringify({ level, time: isoTime(Date.now()), ...fields, msg })}\n`;
}
