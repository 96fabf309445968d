import { Router } from 'express';

/** A router that matches paths literally: `/Docs` and `/docs/` are not `/docs`. */
export function strictRouter(): Router {
  return Router({ caseSensitive: true, strict: true });
}
