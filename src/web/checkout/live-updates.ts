import { texts } from './texts.ts';
import { showConnection } from './announce.ts';

interface State {
  readonly version: string;
  readonly status: string;
  readonly final: boolean;
  readonly title: string;
  /** Of the header. */
  readonly summary: string;
  readonly html: string;
  readonly announcement: string;
  readonly redirect: string | null;
}

interface Watcher {
  readonly onChange: (state: State) => void;
  /** The time of the daemon, ms; NaN if its answer does not state it. */
  readonly onTime: (ms: number) => void;
}

const POLL_MS = 3_000;
/** After the end only late money or a reversal can change the page. */
const POLL_FINAL_MS = 15_000;
const REQUEST_LIMIT_MS = 10_000;
/** Consecutive failures before the page falls back to polling. */
const STREAM_TRIES = 3;
/** Some proxies buffer a stream: the first message must arrive within this time. */
const FIRST_WORD_MS = 6_000;
/** Three heartbeats of the daemon. */
const SILENCE_MS = 45_000;
/** A stream is retried after this many polls. */
const POLLS_PER_STREAM = 20;
/** A return to the page causes several events at once. */
const WAKE_PAUSE_MS = 500;

/** Follows the payment by server-sent events, or by polling if they do not get through. */
export function follow(main: HTMLElement, watcher: Watcher): void {
  const base = window.location.pathname.replace(/\/$/, '');
  const query = `?lang=${document.documentElement.lang}`;
  let version = main.dataset['version'] ?? '';
  let timer: number | undefined;
  let answers = 0;
  let closeStream: (() => void) | null = null;

  const take = (state: State): void => {
    showConnection(false, texts.offline);
    if (state.version === version) return;
    version = state.version;
    watcher.onChange(state);
  };

  const pollIn = (pauseMs: number): void => {
    timer = window.setTimeout(() => void poll(), pauseMs);
  };

  const readState = async (): Promise<State> => {
    const answer = await fetch(`${base}/state${query}`, { signal: AbortSignal.timeout(REQUEST_LIMIT_MS) });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    watcher.onTime(Date.parse(answer.headers.get('date') ?? ''));
    return (await answer.json()) as State;
  };

  const poll = async (): Promise<void> => {
    timer = undefined;
    let pause = POLL_MS;
    try {
      const state = await readState();
      take(state);
      answers += 1;
      if (state.final) pause = POLL_FINAL_MS;
      else if (answers % POLLS_PER_STREAM === 0) return stream();
    } catch {
      showConnection(true, texts.offline);
    }
    pollIn(pause);
  };

  const stream = (): void => {
    closeStream = openStream(`${base}/events${query}`, {
      onBeat: () => showConnection(false, texts.offline),
      onState: take,
      onEnd: (isOver) => {
        closeStream = null;
        if (isOver) pollIn(POLL_FINAL_MS);
        else void poll();
      },
    });
  };

  const readOnce = async (): Promise<void> => {
    const before = version;
    const state = await readState().catch(() => null);
    // The new stream may have been faster, with a newer state.
    if (state !== null && version === before) take(state);
  };

  onReturn(() => {
    if (timer !== undefined) {
      window.clearTimeout(timer);
      void poll();
      return;
    }
    if (closeStream !== null) {
      closeStream();
      stream();
    }
    void readOnce();
  });
  window.addEventListener('offline', () => showConnection(true, texts.offline));
  stream();
}

/** After the return from a wallet: the system may have suspended the page, and cut its stream without a word. */
function onReturn(wake: () => void): void {
  let wokenAtMs = performance.now();
  const returned = (): void => {
    const now = performance.now();
    if (document.visibilityState !== 'visible' || now - wokenAtMs < WAKE_PAUSE_MS) return;
    wokenAtMs = now;
    wake();
  };
  document.addEventListener('visibilitychange', returned);
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) returned();
  });
  window.addEventListener('online', returned);
  window.addEventListener('focus', returned);
}

interface StreamReader {
  readonly onBeat: () => void;
  readonly onState: (state: State) => void;
  /** The stream does not get through, or is not needed any more. @param isOver whether the payment is */
  readonly onEnd: (isOver: boolean) => void;
}

/** @returns closes the stream without `onEnd` */
function openStream(url: string, { onBeat, onState, onEnd }: StreamReader): () => void {
  let failures = 0;
  let over = false;
  const source = new EventSource(url);
  const close = (): void => {
    window.clearTimeout(silence);
    source.close();
  };
  const giveUp = (): void => {
    close();
    onEnd(over);
  };
  let silence = window.setTimeout(giveUp, FIRST_WORD_MS);
  const heard = (): void => {
    failures = 0;
    window.clearTimeout(silence);
    silence = window.setTimeout(giveUp, SILENCE_MS);
  };
  source.addEventListener('beat', () => {
    heard();
    onBeat();
  });
  source.addEventListener('payment', (event: MessageEvent<string>) => {
    heard();
    const state = JSON.parse(event.data) as State;
    over = state.final;
    onState(state);
  });
  source.addEventListener('error', () => {
    failures += 1;
    if (over || source.readyState === EventSource.CLOSED || failures >= STREAM_TRIES) giveUp();
  });
  return close;
}
