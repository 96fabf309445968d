/** Chromium's event, which is in no standard yet. */
interface InstallPrompt extends Event {
  readonly prompt: () => Promise<unknown>;
}

let offered: InstallPrompt | null = null;

/** Registers the worker, and waits for the browser to offer the installation. */
export function prepareInstall(onOffer: () => void): void {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    offered = event as InstallPrompt;
    onOffer();
  });
  // Without a secure origin there is none: the page then works with a connection only.
  if ('serviceWorker' in navigator)
    navigator.serviceWorker.register('./worker.js', { scope: './' }).catch(() => undefined);
}

export function canInstall(): boolean {
  return offered !== null;
}

export async function install(): Promise<void> {
  await offered?.prompt();
  offered = null;
}

/** Its browser offers no installation, and an installed app there has a storage of its own. */
export function isIphone(): boolean {
  return /iPhone|iPad/.test(navigator.userAgent) && !window.matchMedia('(display-mode: standalone)').matches;
}
