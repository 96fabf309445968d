import { readFileSync } from 'node:fs';
import { costOfEach } from './spell.ts';

/** The baseline: a process that parses a node's response on request and discards it. */
const answer = readFileSync(process.argv[2] ?? '', 'latin1');
process.send?.({});
process.on('message', (times: number) => {
  const works = Array.from({ length: times }, () => (): unknown => JSON.parse(answer));
  void costOfEach(works).then((cost) => process.send?.(cost));
});
