import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { isoTime } from '../domain/iso-time.ts';
import { openLogOutput } from './log-output.ts';

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
const SECRET_PATTERNS: readonly [RegExp, string][] = [
  [/\b([rs]k)_[A-Za-z0-9]{16,}/g, '$1_[redacted]'],
  [/\bwhsec_[A-Za-z0-9+/=]{16,}/g, 'whsec_[redacted]'],
  [/\beyJ[\w-]{8,200}\.[\w-]{8,}\.[\w-]{8,}/g, '[redacted token]'],
  [/(\b(?:https?|wss?|smtps?):\/\/)[^\s/@"']+@/g, '$1[redacted]@'],
  [/\b(Bearer|Basic) [A-Za-z0-9._~+/=-]{8,}/g, '$1 [redacted]'],
];

/** A quick pre-check that every such pattern passes: lines that fail it need no redaction. */
const MAYBE_SECRET = /[rs]k_|whsec_|eyJ|:\/\/|Bearer |Basic /;

const STANDARD_OUTPUT = 1;

/** Redacts everything in a line that has the shape of a secret. */
function redactText(line: string): string {
  if (!MAYBE_SECRET.test(line)) return line;
  return SECRET_PATTERNS.reduce((text, [shape, replacement]) => text.replace(shape, replacement), line);
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

/**
 * The program's log: JSON lines, secrets removed by field name and by shape.
 * @param destination by default the standard output
 */
export function createLogger(level: string, destination?: DestinationStream): PinoLogger {
  const paths = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);
  const output = destination ?? openLogOutput(STANDARD_OUTPUT);
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
