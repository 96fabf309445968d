import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../_helpers/poll.ts';

const run = promisify(execFile);
const HERE = import.meta.dirname;
const START_LIMIT_MS = 60_000;
/** Two webhooks at once, a page and the driver. */
const WORKERS = '5';

/** A WordPress of its own with a database of its own, in a temporary directory, served by PHP. */
export class Site implements AsyncDisposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'shop-'));
  readonly #url: string;
  readonly #port: number;
  readonly #installed: string;
  readonly #secret: string;
  #database: ChildProcess | null = null;
  #server: ChildProcess | null = null;

  private constructor(url: string, port: number, installed: string, secret: string) {
    this.#secret = secret;
    this.#url = url;
    this.#port = port;
    this.#installed = installed;
  }

  /** @param url how browsers and tilld reach it */
  static async install(url: string, port: number, secret: string): Promise<Site> {
    const { stdout } = await run(join(HERE, 'install'), [], { timeout: 1_800_000 });
    const site = new Site(url, port, stdout.trim(), secret);
    site.#layOut();
    await site.#startDatabase();
    await site.php('set-up.php', [site.wordpress]);
    return site;
  }

  /** The directory of the plugins. */
  get plugins(): string {
    return join(this.#content, 'plugins');
  }

  /** The directory of WordPress itself. */
  get wordpress(): string {
    return join(this.#installed, 'wordpress', 'usr', 'share', 'wordpress');
  }

  /** Links a plugin's directory into the site and switches it on. */
  async activate(plugin: string, directory: string, ...given: string[]): Promise<void> {
    symlinkSync(resolve(directory), join(this.plugins, plugin));
    const file = readFileName(directory, plugin);
    await this.php('activate.php', [this.wordpress, `${plugin}/${file}`, ...given]);
  }

  /** Runs a script of this directory in parallel with the server, with optional extra settings of wp-config.php. */
  async php(
    script: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const { stdout } = await run('php', [...this.#options, join(HERE, script), ...args], {
      env: { ...this.#env, ...env },
      timeout: 120_000,
    });
    return stdout;
  }

  async start(): Promise<void> {
    const args = [...this.#options, '-S', `127.0.0.1:${this.#port}`, '-t', this.wordpress];
    const server = spawn('php', [...args, join(HERE, 'router.php')], {
      env: { ...this.#env, PHP_CLI_SERVER_WORKERS: WORKERS },
      stdio: ['ignore', 'ignore', 'ignore'],
      // A group of its own: the server's workers are its children, and end with it.
      detached: true,
    });
    this.#server = server;
    await eventually('the shop answers', () => this.#answers(), Boolean, START_LIMIT_MS);
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server?.pid === undefined || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    // With its workers, which would go on answering without it.
    process.kill(-server.pid, 'SIGKILL');
    await ended;
    await eventually(
      'the shop is down',
      () => this.#answers(),
      (answers) => !answers,
      START_LIMIT_MS,
    );
  }

  /** What PHP and WooCommerce wrote into their logs. */
  logs(): string {
    return ['debug.log', 'wc.log']
      .map((name) => join(this.#content, name))
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
  }

  /** What PHP complained of: errors, warnings, notices, deprecations. */
  debugLog(): string[] {
    const file = join(this.#content, 'debug.log');
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    // WordPress itself looks for updates, which a site without internet cannot; WooCommerce 9 translates names of its
    // schedules before WordPress wants it, as it is switched on.
    const others =
      /wp_(version_check|update_plugins|update_themes)\(\)|_load_textdomain_just_in_time.*<code>woocommerce<\/code>/;
    return lines.filter((line) => line !== '' && !others.test(line));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await end(this.#database);
    rmSync(this.dir, { recursive: true, force: true });
  }

  #answers(): Promise<boolean> {
    return fetch(`http://127.0.0.1:${this.#port}/wp-includes/js/jquery/jquery.min.js`).then(
      async (answer) => {
        // What is left unread makes undici throw once the server ends.
        await answer.arrayBuffer();
        return answer.ok;
      },
      () => false,
    );
  }

  #layOut(): void {
    for (const folder of ['plugins', 'themes', 'mu-plugins', 'uploads'])
      mkdirSync(join(this.#content, folder), { recursive: true });
    mkdirSync(join(this.dir, 'database', 'mysql'), { recursive: true });
    for (const file of ['commands.php', 'older-client.php'])
      symlinkSync(join(HERE, file), join(this.#content, 'mu-plugins', file));
    const theme = 'twentytwentyfive';
    symlinkSync(join(this.wordpress, 'wp-content', 'themes', theme), join(this.#content, 'themes', theme));
  }

  /** Without its system tables, which only users and their rights need. */
  async #startDatabase(): Promise<void> {
    const share = join(this.#installed, 'database', 'root', 'usr', 'share', 'mysql');
    const database = spawn(
      join(this.#installed, 'database', 'bin', 'mariadbd'),
      [
        '--no-defaults',
        `--lc-messages-dir=${share}`,
        `--character-sets-dir=${share}/charsets`,
        `--datadir=${join(this.dir, 'database')}`,
        `--socket=${this.#socket}`,
        `--log-error=${join(this.dir, 'database.log')}`,
        `--pid-file=${join(this.dir, 'database.pid')}`,
        ...(process.getuid?.() === 0 ? ['--user=root'] : []),
        '--skip-networking',
        '--skip-grant-tables',
        '--skip-log-bin',
        '--innodb-stats-persistent=0',
        '--innodb-buffer-pool-size=32M',
        '--innodb-log-file-size=8M',
        '--innodb-flush-log-at-trx-commit=0',
        '--max-connections=50',
      ],
      { stdio: 'ignore' },
    );
    this.#database = database;
    const isUp = (): boolean => {
      if (database.exitCode === null) return existsSync(this.#socket);
      throw new Error(`the database ended: ${readFileSync(join(this.dir, 'database.log'), 'utf8')}`);
    };
    await eventually('the database listens', isUp, Boolean, START_LIMIT_MS);
  }

  get #content(): string {
    return join(this.dir, 'content');
  }

  get #socket(): string {
    return join(this.dir, 'database.sock');
  }

  get #env(): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      SHOP_CONFIG: join(HERE, 'wp-config.php'),
      SHOP_SOCKET: this.#socket,
      SHOP_CONTENT: this.#content,
      SHOP_URL: this.#url,
      SHOP_TEST_SECRET: this.#secret,
    };
  }

  /** The modules that were unpacked because the machine's PHP lacks them. */
  get #options(): string[] {
    const options = [
      '-d',
      'sendmail_path=/bin/true',
      '-d',
      'memory_limit=256M',
      '-d',
      'display_errors=stderr',
    ];
    const modules = join(this.#installed, 'php', 'usr', 'lib', 'php');
    if (!existsSync(modules)) return options;
    const [api = ''] = readdirSync(modules);
    const paths = ['mysqlnd.so', 'mysqli.so'].map((name) => join(modules, api, name));
    return [...options, ...paths.flatMap((path) => ['-d', `extension=${path}`])];
  }
}

/** A plugin's file is called like its directory. */
function readFileName(directory: string, plugin: string): string {
  const file = `${plugin}.php`;
  if (!existsSync(join(directory, file))) throw new Error(`${basename(directory)} has no ${file}`);
  return file;
}

async function end(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
