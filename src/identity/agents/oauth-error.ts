// Why an authorization server refuses: the codes of RFC 6749, 7591 and 8707, which programs know, with a sentence for
// the person who writes the program.

export type OAuthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_client_metadata'
  | 'invalid_redirect_uri'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'

export class OAuthError extends Error {
  readonly code: OAuthCode
  constructor(code: OAuthCode, message: string) {
    super(message)
    this.code = code
  }
}
