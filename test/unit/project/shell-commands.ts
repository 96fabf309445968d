import { readFileSync } from 'node:fs';

/** A command in a shell block of a document. */
export interface ShellCommand {
  readonly document: string;
  readonly line: number;
  readonly text: string;
  /** The block is marked `sh not-run`: the command needs what no test has, such as systemd as the first process. */
  readonly isMarked: boolean;
}

const FENCE = /^\s*```(.*)$/;

/** Commands of the blocks `sh` of a document, with continued lines joined and comments removed. */
export function readCommands(document: string): ShellCommand[] {
  const commands: ShellCommand[] = [];
  let block: string | null = null;
  let pending = '';
  for (const [at, text] of readFileSync(document, 'utf8').split('\n').entries()) {
    const [, info] = FENCE.exec(text) ?? [];
    if (info !== undefined) {
      block = block === null ? info : null;
    } else if (block !== null && /^sh\b/.test(block)) {
      pending += text.trim().replace(/\\$/, '');
      if (text.endsWith('\\')) continue;
      const command = withoutComment(pending).trim();
      pending = '';
      if (command !== '')
        commands.push({ document, line: at + 1, text: command, isMarked: block === 'sh not-run' });
    }
  }
  return commands;
}

/** A comment begins with `#` after a space; quoted text has none here. */
function withoutComment(line: string): string {
  return line.replace(/(^|\s)#\s.*$/, '');
}

const RUNNABLE = /^\s*(sudo |curl |docker |npm |npx |git |scripts\/|tillctl |systemctl |ssh-keygen )/;

/** Lines that look like commands in blocks that are not `sh`, where no check would see them. */
export function unlabelledCommands(document: string): string[] {
  let block: string | null = null;
  const found: string[] = [];
  for (const [at, text] of readFileSync(document, 'utf8').split('\n').entries()) {
    const [, info] = FENCE.exec(text) ?? [];
    if (info !== undefined) block = block === null ? info : null;
    else if (block !== null && !/^sh\b/.test(block) && RUNNABLE.test(text))
      found.push(`${document}:${at + 1} ${text}`);
  }
  return found;
}
