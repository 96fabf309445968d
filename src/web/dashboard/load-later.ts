type Load<M> = () => Promise<M>;

const loads: Load<unknown>[] = [];

/** A part of the pages that is not needed for the first one: loaded when it is used, or when the browser is idle. */
export function loadLater<M>(load: Load<M>): Load<M> {
  loads.push(load);
  return load;
}

/** Browsers without it wait this long instead. */
const PAUSE_MS = 200;

/**
 * Loads the other parts, so that they open at once, even offline: one after the other while the browser is idle, and
 * none if it is asked to save data.
 * @param isBusy whether the page still reads what it shows
 */
export async function loadOtherParts(isBusy: () => boolean): Promise<void> {
  if (savesData()) return;
  for (const load of loads) {
    do await idle();
    while (isBusy());
    // A failed load is repeated when the part is used.
    await load().catch(() => undefined);
  }
}

function savesData(): boolean {
  const connection: unknown = Reflect.get(navigator, 'connection');
  return (
    typeof connection === 'object' && connection !== null && Reflect.get(connection, 'saveData') === true
  );
}

async function idle(): Promise<void> {
  await new Promise<void>((resolve) => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve(), { timeout: 2_000 });
    else setTimeout(resolve, PAUSE_MS);
  });
}
