import { bareCaller, type Asked } from './recorder.ts';
import { costOfEach } from './spell.ts';

/** The baseline: a process that sends requests to a node on request and returns the cost. */
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
