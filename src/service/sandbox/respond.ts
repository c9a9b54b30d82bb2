import type { Response } from "express";
import { type ApiError, errorBody } from "./api-error.ts";

export function fail(response: Response, error: ApiError): void {
  const challenge = error.status === 401 ? { "WWW-Authenticate": "Bearer" } : {};
  response
    .status(error.status)
    .set({ ...challenge, ...error.headers })
    .json(errorBody(error));
}

/**
 * Writes a success: 200, the only success status of the service (service description, "Errors").
 */
export function succeed(response: Response, body: object): void {
  response.status(200).json(body);
}
