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
  /** The encrypted backup of before. */
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

/** Orders versions such as 0.9.1, 0.10.0-rc.1 and 0.10.0 (Semantic Versioning, without build metadata). */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(/-(.*)/s));
  const byNumbers = compareParts(left?.[0] ?? '', right?.[0] ?? '');
  if (byNumbers !== 0) return byNumbers;
  const [preLeft, preRight] = [left?.[1], right?.[1]];
  if (preLeft === undefined || preRight === undefined)
    return Number(preLeft === undefined) - Number(preRight === undefined);
  return compareParts(preLeft, preRight);
}

function compareParts(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [mine = '', other = ''] = [left[at], right[at]];
    if (mine === other) continue;
    const areNumbers = /^\d+$/.test(mine) && /^\d+$/.test(other);
    if (areNumbers) return Number(mine) - Number(other);
    return mine < other ? -1 : 1;
  }
  return 0;
}
