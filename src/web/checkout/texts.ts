interface Texts {
  readonly copied: string;
  readonly copyFailed: string;
  readonly offline: string;
  readonly redirecting: string;
  readonly simulateRefused: string;
}

const element = document.querySelector('#texts');

/** Texts of the script in the language of the page, from the daemon. */
export const texts = JSON.parse(element?.textContent ?? '{}') as Texts;
