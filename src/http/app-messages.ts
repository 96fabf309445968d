import { IncomingMessage, ServerResponse, type ServerOptions } from 'node:http';
import type { Express } from 'express';

type Messages = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>;

/**
 * Requests and responses that are born with the methods of an Express application, for the options of its
 * server. Express gives them to every message by changing its prototype, which costs V8 more than all of
 * Express's routing; it changes nothing where the prototype is the right one already.
 */
export function appMessages(app: Express): Messages {
  class AppRequest extends IncomingMessage {}
  class AppResponse<R extends IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
