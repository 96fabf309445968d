import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Everything after DATA, dots unstuffed. */
  readonly raw: string;
  /** What AUTH PLAIN said; null without. */
  readonly auth: string | null;
}

export interface SmtpBehaviour {
  /** Reply to RCPT TO and to the end of DATA; 250 otherwise. */
  rcpt?: string;
  data?: string;
  /** Accepts connections and never says a word. */
  mute?: boolean;
}

/** A mail server on loopback (RFC 5321, as far as one client needs), that keeps what it is given. */
export class SmtpSink {
  readonly mails: ReceivedMail[] = [];
  /** Every command line any client sent. */
  readonly commands: string[] = [];
  behaviour: SmtpBehaviour = {};
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  readonly #isTls: boolean;

  private constructor(tls: { cert: string; key: string } | null) {
    const serve = (socket: Socket): void => this.#serve(socket);
    this.#isTls = tls !== null;
    this.#server = tls === null ? createServer(serve) : createTlsServer(tls, serve);
  }

  /** @param options.port 0, the default, for any free one; with `tls` it speaks TLS from the start */
  static async start(
    options: { port?: number; tls?: { cert: string; key: string } } = {},
  ): Promise<SmtpSink> {
    const { port = 0, tls = null } = options;
    const sink = new SmtpSink(tls);
    await new Promise<void>((resolve) => sink.#server.listen(port, '127.0.0.1', resolve));
    return sink;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#isTls ? 'smtps' : 'smtp'}://127.0.0.1:${this.port}`;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.setEncoding('utf8');
    if (this.behaviour.mute === true) return;
    const session = {
      from: '',
      to: [] as string[],
      auth: null as string | null,
      lines: null as string[] | null,
    };
    let rest = '';
    socket.write('220 sink ESMTP\r\n');
    socket.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#line(socket, session, line);
    });
  }

  #line(
    socket: Socket,
    session: { from: string; to: string[]; auth: string | null; lines: string[] | null },
    line: string,
  ): void {
    const reply = (text: string): void => void socket.write(`${text}\r\n`);
    if (session.lines !== null) {
      if (line !== '.') {
        session.lines.push(line.replace(/^\.\./, '.'));
        return;
      }
      const answer = this.behaviour.data ?? '250 kept';
      if (answer.startsWith('2')) {
        const { from, to, auth, lines } = session;
        this.mails.push({ from, to: [...to], auth, raw: lines.join('\r\n') });
      }
      session.lines = null;
      reply(answer);
      return;
    }
    this.commands.push(line);
    const verb = line.split(/[ :]/)[0]?.toUpperCase();
    if (verb === 'EHLO') reply('250-sink\r\n250-SMTPUTF8\r\n250 AUTH PLAIN');
    else if (verb === 'STARTTLS') reply('502 not here');
    else if (verb === 'AUTH') {
      session.auth = Buffer.from(line.split(' ')[2] ?? '', 'base64').toString('utf8');
      reply('235 welcome');
    } else if (verb === 'MAIL') {
      session.from = addressIn(line);
      session.to = [];
      reply('250 ok');
    } else if (verb === 'RCPT') {
      const answer = this.behaviour.rcpt ?? '250 ok';
      if (answer.startsWith('2')) session.to.push(addressIn(line));
      reply(answer);
    } else if (verb === 'DATA') {
      session.lines = [];
      reply('354 go on');
    } else if (verb === 'QUIT') {
      reply('221 bye');
      socket.end();
    } else reply('250 ok');
  }
}

function addressIn(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? '';
}

/** The text of a mail, one character per byte, with quoted-printable and base64 undone, so that links are whole. */
export function readable(raw: string): string {
  return undoQuoted(raw.replace(/=\r\n/g, '')).replace(
    BASE64_PART,
    (_, head: string, body: string) => `${head}${Buffer.from(body, 'base64').toString('latin1')}`,
  );
}

const BASE64_PART = /(Content-Transfer-Encoding: base64\r\n(?:[^\r]+\r\n)*\r\n)([\w+/=\r\n]+)/gi;

function undoQuoted(text: string): string {
  return text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** The subject of a mail, unfolded and decoded (RFC 2047). */
export function subjectOf({ raw }: Pick<ReceivedMail, 'raw'>): string {
  const folded = /^Subject:[ \t]*(.*(?:\r\n[ \t].+)*)/m.exec(raw)?.[1] ?? '';
  return folded
    .replace(/\r\n[ \t]/g, ' ')
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/(?:=\?utf-8\?[QB]\?[^?]*\?=)+/gi, (words) => {
      const bytes = [...words.matchAll(/=\?utf-8\?([QB])\?([^?]*)\?=/gi)].map(([, kind, text = '']) =>
        kind?.toUpperCase() === 'B'
          ? Buffer.from(text, 'base64')
          : Buffer.from(undoQuoted(text.replaceAll('_', ' ')), 'latin1'),
      );
      return Buffer.concat(bytes).toString();
    })
    .trim();
}

/** The text and the HTML of a mail with both, decoded. */
export function partsOf(raw: string): { text: string; html: string } {
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1] ?? '';
  const parts = raw.split(`--${boundary}`).slice(1, -1).map(decodedPart);
  const body = (type: string): string => parts.find((part) => part.type === type)?.body ?? '';
  return { text: body('text/plain'), html: body('text/html') };
}

function decodedPart(part: string): { type: string; body: string } {
  const [head = '', ...rest] = part.trimStart().split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  const isBase64 = /^Content-Transfer-Encoding: base64/im.test(head);
  const bytes = isBase64 ? Buffer.from(body, 'base64') : Buffer.from(readable(body), 'latin1');
  const type = /^Content-Type: ([^;\r]+)/im.exec(head)?.[1] ?? '';
  return { type, body: bytes.toString('utf8').replaceAll('\r\n', '\n') };
}

/** The token in the first link of a mail. */
export function tokenIn(text: string): string {
  const token = /\?token=([0-9A-Za-z]{43})(?![0-9A-Za-z])/.exec(text)?.[1];
  if (token === undefined) throw new Error(`no link with a token in: ${text}`);
  return token;
}
