import { Router } from 'express';

/** A router whose paths match as they are written: `/Docs` and `/docs/` are other addresses than `/docs`. */
export function strictRouter(): Router {
  return Router({ caseSensitive: true, strict: true });
}
