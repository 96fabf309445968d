import { SharedThread } from '../../src/thread/shared-thread.ts';

const SERVE = new URL('../../src/thread/serve.ts', import.meta.url).href;

/** A thread with these services instead of the daemon's. @param openings the text of an object of JavaScript */
export function threadThat(openings: string, closeMs?: number): SharedThread {
  const program = `import { serve } from ${JSON.stringify(SERVE)}; serve(${openings});`;
  return new SharedThread(new URL(`data:text/javascript,${encodeURIComponent(program)}`), closeMs);
}
