import { bareCaller, type RecordedRequest } from './recorder.ts';
import { costOfEach } from './spell.ts';

/** The baseline: a process that sends requests to a node on request and returns the cost. */
const { url, parses = false } = JSON.parse(process.argv[2] ?? '') as { url: string; parses?: boolean };
const caller = bareCaller(url, parses);
let requests: readonly RecordedRequest[] = [];
process.on('message', (message: readonly RecordedRequest[] | 'put') => {
  if (message === 'put')
    void costOfEach([async () => caller.put(requests)]).then((cost) => process.send?.(cost));
  else {
    requests = message;
    process.send?.({});
  }
});
process.send?.({});
