interface Texts {
  readonly copied: string;
  readonly copyFailed: string;
  readonly offline: string;
  readonly redirecting: string;
  readonly simulateRefused: string;
}

const element = document.querySelector('#texts');

/** What the script says, in the language of the page: the daemon put it there. */
export const texts = JSON.parse(element?.textContent ?? '{}') as Texts;
