type Show = (text: string) => void;

let show: Show | null = null;
const waiting: string[] = [];

/** After a successful action: shows a message for a moment, for changes that are not visible on the page. */
export function telling(text: string, then?: () => void): () => void {
  return () => {
    if (show === null) waiting.push(text);
    else show(text);
    then?.();
  };
}

/** The region of messages is loaded: shows those that waited for it. */
export function showToastsBy(loaded: Show): void {
  show = loaded;
  for (const text of waiting.splice(0)) loaded(text);
}
