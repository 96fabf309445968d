import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { installRoot } from '../service.ts';

/** Where an update or a rollback is, so that one that was killed continues. */
const journalSchema = z.object({
  state: z.enum(['updating', 'switching-back', 'updated', 'rolling-back', 'rolled-back', 'failed']),
  from: z.string(),
  to: z.string(),
  /** The encrypted backup made before the update. */
  backup: z.string(),
  /** First migration of the new release; null: the schema is the same. */
  migration: z.string().nullable(),
  /** Whether the daemon was ready before; if not, it only has to respond afterwards. */
  wasReady: z.boolean(),
  /** When the backup was begun, ms. */
  backedUpAt: z.number(),
  /** When the old release was stopped for the last time, ms; null before that. */
  stoppedAt: z.number().nullable(),
});

export type Journal = z.infer<typeof journalSchema>;

const JOURNAL = 'update.json';

/** Releases side by side below a root; the link `current` names the one that runs. */
export class Installation {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** @throws if this program is not part of one. */
  static find(): Installation {
    const root = installRoot();
    if (root === null)
      throw new Error(
        'this program is not installed in a folder releases/VERSION, as install.sh does. With Docker, build or pull the image of the other release instead',
      );
    return new Installation(root);
  }

  release(version: string): string {
    return join(this.root, 'releases', version);
  }

  has(version: string): boolean {
    return existsSync(join(this.release(version), 'package.json'));
  }

  current(): string {
    return basename(readlinkSync(join(this.root, 'current')));
  }

  /** Makes a release the current one, atomically and durably. */
  switchTo(version: string): void {
    if (this.current() === version) return;
    const link = join(this.root, '.current.new');
    rmSync(link, { force: true });
    symlinkSync(join('releases', version), link);
    renameSync(link, join(this.root, 'current'));
    syncPath(this.root);
  }

  journal(): Journal | null {
    const file = join(this.root, JOURNAL);
    return existsSync(file) ? journalSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null;
  }

  note(journal: Journal): void {
    const file = join(this.root, JOURNAL);
    const temporary = `${file}.new`;
    const handle = openSync(temporary, 'w', 0o644);
    try {
      writeSync(handle, `${JSON.stringify(journal, null, 2)}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
    syncPath(this.root);
  }
}

function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
