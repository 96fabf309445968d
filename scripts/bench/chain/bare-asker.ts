import { bareCaller, type Asked } from './recorder.ts';
import { costOfEach } from './spell.ts';

/** The baseline: a process that puts requests to a node whenever it is told to, and answers what that cost. */
const { url } = JSON.parse(process.argv[2] ?? '') as { url: string };
const caller = bareCaller(url);
let asked: readonly Asked[] = [];
process.on('message', (told: readonly Asked[] | 'put') => {
  if (told === 'put') void costOfEach([async () => caller.put(asked)]).then((cost) => process.send?.(cost));
  else {
    asked = told;
    process.send?.({});
  }
});
process.send?.({});
