import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import dnsPacket, { type Answer, type Packet } from 'dns-packet';

type Kind = 'A' | 'AAAA' | 'TXT';
/** What a name has: addresses, texts (one or several strings each), or a way not to answer. */
type Records = readonly (string | readonly string[])[] | 'silent' | 'servfail' | 'refused';

const PLAIN_UDP_BYTES = 512;
const FLAG = { authoritative: 0x0400, truncated: 0x0200 };
const RCODE = { nxdomain: 3, servfail: 2, refused: 5 };

/** A name server with a zone of the test's own, over UDP and TCP on one port. */
export class DnsServer {
  /** Every question that came, as `TYPE name`. */
  readonly questions: string[] = [];
  readonly #zone = new Map<string, Records>();
  readonly #udp: Socket;
  readonly #tcp: Server;

  private constructor(udp: Socket, tcp: Server) {
    this.#udp = udp;
    this.#tcp = tcp;
  }

  static async start(): Promise<DnsServer> {
    const { udp, tcp } = await onePort();
    const server = new DnsServer(udp, tcp);
    udp.on('message', (message, { port, address }) => {
      const answer = server.#answer(dnsPacket.decode(message));
      if (answer === null) return;
      const encoded = dnsPacket.encode(answer);
      const fits = encoded.length <= PLAIN_UDP_BYTES;
      const cut = { ...answer, answers: [], flags: (answer.flags ?? 0) | FLAG.truncated };
      udp.send(fits ? encoded : dnsPacket.encode(cut), port, address);
    });
    tcp.on('connection', (socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (message: Buffer) => {
        const answer = server.#answer(dnsPacket.streamDecode(message));
        if (answer !== null) socket.end(dnsPacket.streamEncode(answer));
      });
    });
    return server;
  }

  /** Forgets the zone and what was asked. */
  clear(): void {
    this.#zone.clear();
    this.questions.length = 0;
  }

  /** As the resolver wants it. */
  get address(): string {
    return `127.0.0.1:${(this.#tcp.address() as AddressInfo).port}`;
  }

  set(kind: Kind, name: string, records: Records): void {
    this.#zone.set(`${kind} ${name}`, records);
  }

  delete(kind: Kind, name: string): void {
    this.#zone.delete(`${kind} ${name}`);
  }

  async close(): Promise<void> {
    this.#udp.close();
    await new Promise((resolve) => this.#tcp.close(resolve));
  }

  #answer(query: Packet): Packet | null {
    const question = query.questions?.[0];
    if (question === undefined) return null;
    const name = question.name.toLowerCase();
    this.questions.push(`${question.type} ${name}`);
    const base: Packet = { type: 'response', id: query.id ?? 0, questions: [question], answers: [] };
    const known = [...this.#zone.keys()].some((key) => key.endsWith(` ${name}`));
    const records = this.#zone.get(`${question.type} ${name}`) ?? [];
    if (records === 'silent') return null;
    if (records === 'servfail') return { ...base, flags: RCODE.servfail };
    if (records === 'refused') return { ...base, flags: RCODE.refused };
    const flags = FLAG.authoritative | (known ? 0 : RCODE.nxdomain);
    const answers = records.map((record) => answerOf(question.type, name, record));
    return { ...base, flags, answers };
  }
}

/** A port that is free for both: what the kernel gives for one may be in use for the other. */
async function onePort(tries = 20): Promise<{ udp: Socket; tcp: Server }> {
  const tcp = createServer();
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const udp = createSocket('udp4');
  try {
    udp.bind((tcp.address() as AddressInfo).port, '127.0.0.1');
    await once(udp, 'listening');
    return { udp, tcp };
  } catch (error) {
    udp.close();
    tcp.close();
    if (tries === 0) throw error;
    return onePort(tries - 1);
  }
}

function answerOf(type: string, name: string, record: string | readonly string[]): Answer {
  if (type === 'TXT') return { type, name, ttl: 0, data: [record].flat() };
  return { type: type === 'A' ? 'A' : 'AAAA', name, ttl: 0, data: String(record) };
}
