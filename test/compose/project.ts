/** docker-compose.yml under a project name of its own, driven by the same commands as a user's. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const OUTPUT_BYTES = 32 * 1024 * 1024;
const INSPECTION = z.object({
  Config: z.object({ User: z.string() }),
  State: z.object({ Status: z.string(), ExitCode: z.number(), OOMKilled: z.boolean() }),
  HostConfig: z.object({
    ReadonlyRootfs: z.boolean(),
    CapDrop: z.array(z.string()).nullable(),
    CapAdd: z.array(z.string()).nullable(),
    SecurityOpt: z.array(z.string()).nullable(),
    Memory: z.number(),
    PidsLimit: z.number().nullable(),
    RestartPolicy: z.object({ Name: z.string() }),
  }),
  NetworkSettings: z.object({
    Ports: z.record(z.string(), z.array(z.object({ HostIp: z.string(), HostPort: z.string() })).nullable()),
  }),
});

export type Inspection = z.infer<typeof INSPECTION>;

export async function docker(args: readonly string[], timeoutMs = 60_000): Promise<string> {
  const { stdout } = await run('docker', args, { maxBuffer: OUTPUT_BYTES, timeout: timeoutMs });
  return stdout.trim();
}

export class ComposeProject {
  readonly #name: string;
  readonly #options: readonly string[];
  readonly #env: Readonly<Record<string, string>>;

  /** @param options such as `--profile mainnet` or `-f FILE`, before every command */
  constructor(name: string, env: Readonly<Record<string, string>>, options: readonly string[] = []) {
    this.#name = name;
    this.#env = env;
    this.#options = options;
  }

  /** One command of docker compose. Fails with what it said. */
  async run(args: readonly string[], timeoutMs = 120_000): Promise<string> {
    const { stdout } = await run('docker', ['compose', '-p', this.#name, ...this.#options, ...args], {
      env: { ...process.env, ...this.#env },
      maxBuffer: OUTPUT_BYTES,
      timeout: timeoutMs,
    });
    return stdout.trim();
  }

  /** A command inside a running service. */
  async exec(service: string, ...command: readonly string[]): Promise<string> {
    return this.run(['exec', '-T', service, ...command]);
  }

  async services(): Promise<string[]> {
    return (await this.run(['ps', '--services'])).split('\n').filter((name) => name !== '');
  }

  async containerOf(service: string): Promise<string> {
    return this.run(['ps', '-aq', service]);
  }

  async inspect(service: string): Promise<Inspection> {
    const text = await docker(['inspect', await this.containerOf(service)]);
    return z.tuple([INSPECTION]).parse(JSON.parse(text))[0];
  }

  /** Ends everything, volumes too. */
  async destroy(): Promise<void> {
    await this.run(['down', '-v', '--remove-orphans', '--timeout', '10'], 180_000);
  }
}
