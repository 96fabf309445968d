/** Path of the public address of the daemon, such as `/till`; empty for a host of its own. */
export const BASE_PATH = document.documentElement.dataset['base'] ?? '';
