// Written by `npm run api-types` from the daemon's own OpenAPI document, which a test compares it with.

export interface paths {
  "/auth/register": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** Format: email */
            email: string;
            password: string;
            invitation?: string;
            setupToken?: string;
          };
        };
      };
      responses: {
        201: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                token: string;
                /** Format: date-time */
                expiresAt: string;
                user: components["schemas"]["User"];
              };
            };
          };
        };
      };
    };
  };
  "/auth/login": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** Format: email */
            email: string;
            password: string;
            code?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                token: string;
                /** Format: date-time */
                expiresAt: string;
                user: components["schemas"]["User"];
              };
            };
          };
        };
      };
    };
  };
  "/auth/me": {
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                user: components["schemas"]["User"];
              };
            };
          };
        };
      };
    };
  };
  "/auth/verify-email": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            token: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                /** @constant */
                isVerified: true;
              };
            };
          };
        };
      };
    };
  };
  "/auth/resend-verification": {
    post: {
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                sent: boolean;
                /** @enum {string} */
                by: "mail" | "log";
              };
            };
          };
        };
      };
    };
  };
  "/auth/forgot-password": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** Format: email */
            email: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                message: string;
              };
            };
          };
        };
      };
    };
  };
  "/auth/reset-password": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            token: string;
            password: string;
            /** @default false */
            endPasskeys?: boolean;
            /** @default false */
            endKeys?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                message: string;
                ended: {
                  passkeys: number;
                  secondFactor: boolean;
                  memberships: number;
                  people: number;
                  keys: number;
                  webhooks: number;
                  shops: {
                    id: string;
                    name: string;
                  }[];
                };
              };
            };
          };
        };
      };
    };
  };
  "/auth/change-password": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            currentPassword: string;
            newPassword: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                token: string;
                /** Format: date-time */
                expiresAt: string;
                user: components["schemas"]["User"];
              };
            };
          };
        };
      };
    };
  };
  "/auth/totp": {
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                enabled: boolean;
                enabledAt: string | null;
                recoveryCodesLeft: number;
              };
            };
          };
        };
      };
    };
  };
  "/auth/totp/setup": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            password: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                secret: string;
                uri: string;
              };
            };
          };
        };
      };
    };
  };
  "/auth/totp/enable": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            code: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                recoveryCodes: string[];
                session: {
                  token: string;
                  /** Format: date-time */
                  expiresAt: string;
                  user: components["schemas"]["User"];
                } | null;
              };
            };
          };
        };
      };
    };
  };
  "/auth/totp/disable": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            password: string;
            code: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                /** @constant */
                enabled: false;
                session: {
                  token: string;
                  /** Format: date-time */
                  expiresAt: string;
                  user: components["schemas"]["User"];
                } | null;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/create": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            name: string;
            /** Format: idn-hostname */
            domain: string;
            description?: string | null;
          };
        };
      };
      responses: {
        201: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                merchant: {
                  id: string;
                  name: string;
                  description: string | null;
                  domain: {
                    name: string;
                    isVerified: boolean;
                    verification: string;
                  };
                  auth: {
                    public: string;
                    secret: string;
                  };
                  wallets: {
                    BTC: string;
                    ETH: string;
                    LTC: string;
                    SOL: string;
                  };
                  webhookUrl: string | null;
                  sandboxMode: boolean;
                  paymentLifetimeMinutes: number;
                  tolerancePercent: string;
                  /** @enum {string} */
                  latePayments: "accept" | "review";
                  embedOrigins: string[];
                  currency: string;
                  timeZone: string | null;
                  supportContact: string | null;
                  business: {
                    legalName: string;
                    addressLines: string[];
                    country: string;
                    taxNumber: string | null;
                    email: string | null;
                  } | null;
                  receiptPrefix: string;
                  accentColor: string | null;
                  logoPath: string | null;
                  renewExpired: boolean;
                  invoiceLeadDays: number;
                  graceDays: number;
                  excessToCredit: boolean;
                  payerMayAskExcess: boolean;
                  payerMayPause: boolean;
                  payerMayCancel: boolean;
                  mailsSubscribers: boolean;
                  keysSuspended: boolean;
                  /** Format: date-time */
                  createdAt: string;
                  /** Format: date-time */
                  updatedAt: string;
                };
              };
            };
          };
        };
      };
    };
  };
  "/merchant/list": {
    get: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                merchants: components["schemas"]["Merchant"][];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/edit": {
    patch: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            name?: string;
            description?: string | null;
            webhookUrl?: string | null;
            paymentLifetimeMinutes?: number;
            tolerancePercent?: string | number;
            /** @enum {string} */
            latePayments?: "accept" | "review";
            currency?: string;
            timeZone?: string | null;
            supportContact?: string | null;
            business?: {
              legalName: string;
              addressLines: string[];
              country: string;
              /** @default null */
              taxNumber?: string | null;
              /** @default null */
              email?: string | null;
            } | null;
            receiptPrefix?: string;
            accentColor?: string | null;
            logo?: string | null;
            renewExpired?: boolean;
            invoiceLeadDays?: number;
            graceDays?: number;
            excessToCredit?: boolean;
            payerMayAskExcess?: boolean;
            payerMayPause?: boolean;
            payerMayCancel?: boolean;
            mailsSubscribers?: boolean;
            embedOrigins?: string[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                merchant: {
                  id: string;
                  name: string;
                  description: string | null;
                  webhookUrl: string | null;
                  sandboxMode: boolean;
                  paymentLifetimeMinutes: number;
                  tolerancePercent: string;
                  /** @enum {string} */
                  latePayments: "accept" | "review";
                  embedOrigins: string[];
                  currency: string;
                  timeZone: string | null;
                  supportContact: string | null;
                  business: {
                    legalName: string;
                    addressLines: string[];
                    country: string;
                    taxNumber: string | null;
                    email: string | null;
                  } | null;
                  receiptPrefix: string;
                  accentColor: string | null;
                  logoPath: string | null;
                  renewExpired: boolean;
                  invoiceLeadDays: number;
                  graceDays: number;
                  excessToCredit: boolean;
                  payerMayAskExcess: boolean;
                  payerMayPause: boolean;
                  payerMayCancel: boolean;
                  mailsSubscribers: boolean;
                  keysSuspended: boolean;
                  /** Format: date-time */
                  createdAt: string;
                  /** Format: date-time */
                  updatedAt: string;
                };
              };
            };
          };
        };
      };
    };
  };
  "/merchant/sandbox": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            sandboxMode: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                sandboxMode: boolean;
                message: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/setup": {
    get: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                hasLivePayment: boolean;
                steps: {
                  /** @enum {string} */
                  name: "test_payment" | "webhook" | "domain" | "second_factor" | "backup" | "node";
                  done: boolean;
                  at: string | null;
                  reason: ("no_endpoint" | "no_answer" | "not_scheduled" | "none_made" | "too_old") | null;
                }[];
                coins: components["schemas"]["CoinReadiness"][];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/notices": {
    get: {
      parameters: {
        query: {
          merchantId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                notices: components["schemas"]["Notices"];
              };
            };
          };
        };
      };
    };
    patch: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            kinds?: {
              [key: string]: boolean;
            };
            testPayments?: boolean;
            /** @enum {string} */
            language?: "en" | "de" | "es" | "fr" | "it" | "nl" | "pl" | "pt" | "ar";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                notices: components["schemas"]["Notices"];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/verify-domain": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            /** @enum {string} */
            method: "dns" | "file" | "meta";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                verification: {
                  /** @enum {string} */
                  method: "dns" | "file" | "meta";
                  instructions: string;
                  token: string;
                };
              };
            };
          };
        };
      };
    };
  };
  "/merchant/verify-domain/check": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                verification: {
                  verified: boolean;
                  /** @enum {string} */
                  method: "dns" | "file" | "meta";
                  checkedAt: string | null;
                  lastError: string | null;
                };
              };
            };
          };
        };
      };
    };
  };
  "/merchant/keys/regenerate": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            /** @default 0 */
            gracePeriodSeconds?: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                auth: {
                  public: string;
                  secret: string;
                };
                gracePeriodEndsAt: string | null;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/keys/confirm": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                /** @constant */
                keysSuspended: false;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/keys": {
    get: {
      parameters: {
        query: {
          merchantId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                keys: components["schemas"]["ApiKey"][];
                restricted: components["schemas"]["RestrictedKey"][];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/webhook/secret": {
    get: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                secret: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/webhook/rotate-secret": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                secret: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/attention": {
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          mode?: "live" | "sandbox";
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                items: components["schemas"]["AttentionItem"][];
                pagination: components["schemas"]["Pagination"];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/attention/dismiss": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @enum {string} */
            mode?: "live" | "sandbox";
            note?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                id: string;
                /** Format: date-time */
                dismissedAt: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/keys/create": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            name: string;
            scopes: ("payments:read" | "payments:write" | "refunds:write" | "customers:read" | "customers:write" | "catalog:read" | "catalog:write" | "subscriptions:read" | "subscriptions:write" | "webhooks:read" | "webhooks:write" | "events:read" | "wallet:read" | "wallet:send")[];
            expiresAt?: string | null;
            limits?: {
              currency?: string;
              perSend?: string | null;
              perDay?: string | null;
            };
          };
        };
      };
      responses: {
        201: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                key: {
                  id: string;
                  name: string;
                  scopes: ("payments:read" | "payments:write" | "refunds:write" | "customers:read" | "customers:write" | "catalog:read" | "catalog:write" | "subscriptions:read" | "subscriptions:write" | "webhooks:read" | "webhooks:write" | "events:read" | "wallet:read" | "wallet:send")[];
                  prefix: string;
                  lastFour: string;
                  /** Format: date-time */
                  createdAt: string;
                  lastUsedAt: string | null;
                  expiresAt: string | null;
                  limits: {
                    perSend: {
                      amount: string;
                      currency: string;
                    } | null;
                    perDay: {
                      amount: string;
                      currency: string;
                    } | null;
                  } | null;
                  createdBy: {
                    /** @enum {string} */
                    kind: "user" | "secret" | "restricted" | "public" | "link" | "counter";
                    id: string;
                    name: string | null;
                  } | null;
                  value: string;
                };
              };
            };
          };
        };
      };
    };
  };
  "/merchant/keys/delete": {
    delete: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            keyId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                deleted: boolean;
                keyId: string;
              };
            };
          };
        };
      };
    };
  };
  "/connect/request": {
    get: {
      parameters: {
        query: {
          name: string;
          redirectUrl: string;
          state: string;
          codeChallenge: string;
          scopes: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                name: string;
                scopes: ("payments:read" | "payments:write" | "refunds:write" | "customers:read" | "customers:write" | "catalog:read" | "catalog:write" | "subscriptions:read" | "subscriptions:write" | "webhooks:read" | "webhooks:write" | "events:read" | "wallet:read" | "wallet:send")[];
                redirectUrl: string;
                redirectHost: string;
                deniedUrl: string;
              };
            };
          };
        };
      };
    };
  };
  "/connect/approve": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            name: string;
            /** Format: uri */
            redirectUrl: string;
            state: string;
            codeChallenge: string;
            scopes: string | ("payments:read" | "payments:write" | "refunds:write" | "customers:read" | "customers:write" | "catalog:read" | "catalog:write" | "subscriptions:read" | "subscriptions:write" | "webhooks:read" | "webhooks:write" | "events:read" | "wallet:read" | "wallet:send")[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                redirectTo: string;
              };
            };
          };
        };
      };
    };
  };
  "/connect/token": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            code: string;
            codeVerifier: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                merchantId: string;
                key: string;
                scopes: ("payments:read" | "payments:write" | "refunds:write" | "customers:read" | "customers:write" | "catalog:read" | "catalog:write" | "subscriptions:read" | "subscriptions:write" | "webhooks:read" | "webhooks:write" | "events:read" | "wallet:read" | "wallet:send")[];
                publicKey: string;
                webhookSecret: string | null;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/customer/create": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** Format: email */
            email: string;
            metadata?: {
              [key: string]: unknown;
            };
          };
        };
      };
      responses: {
        201: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Customer"];
            };
          };
        };
      };
    };
  };
  "/merchant/customer/edit": {
    patch: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            customerId: string;
            /** Format: email */
            email?: string;
            metadata?: {
              [key: string]: unknown;
            };
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Customer"];
            };
          };
        };
      };
    };
  };
  "/merchant/customer/erase": {
    delete: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            customerId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                /** @constant */
                erased: true;
                customerId: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/customer/get": {
    get: {
      parameters: {
        query?: {
          customerId?: string;
          email?: string;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Customer"];
            };
          };
        };
      };
    };
  };
  "/merchant/customer/list": {
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          search?: string;
          customerIds?: string;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                customers: components["schemas"]["Customer"][];
                pagination: components["schemas"]["Pagination"];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/product/create": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            name: string;
            description?: string | null;
            /** @default false */
            recurring?: boolean;
            recurringInterval?: ("daily" | "weekly" | "monthly" | "quarterly" | "yearly") | null;
            merchantIds?: string[] | null;
          };
        };
      };
      responses: {
        201: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Product"];
            };
          };
        };
      };
    };
  };
  "/merchant/product/edit": {
    patch: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            productId: string;
            name?: string;
            description?: string | null;
            active?: boolean;
            merchantIds?: string[] | null;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                id: string;
                name: string;
                description: string | null;
                active: boolean;
                /** Format: date-time */
                updatedAt: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/product/delete": {
    delete: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            productId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                deleted: boolean;
                productId: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/product/list": {
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          active?: boolean;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                products: components["schemas"]["Product"][];
                pagination: components["schemas"]["Pagination"];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/price/create": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            productId: string;
            amount: string;
            currency: string;
          };
        };
      };
      responses: {
        201: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                id: string;
                productId: string;
                amount: string;
                currency: string;
                active: boolean;
                /** Format: date-time */
                createdAt: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/price/edit": {
    patch: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            priceId: string;
            amount?: string;
            currency?: string;
            active?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                id: string;
                amount: string;
                currency: string;
                active: boolean;
                /** Format: date-time */
                updatedAt: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/price/delete": {
    delete: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            priceId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                deleted: boolean;
                priceId: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/price/list": {
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          productId?: string;
          active?: boolean;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                prices: components["schemas"]["Price"][];
                pagination: components["schemas"]["Pagination"];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/link/create": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /**
             * @default link
             * @enum {string}
             */
            kind?: "link" | "pos";
            name: string;
            priceId?: string;
            amount?: string;
            openAmount?: {
              min?: string;
              max?: string;
              suggested?: string[];
            };
            currency?: string;
            description?: string | null;
            fields?: {
              /** @enum {string} */
              name: "email" | "name" | "note";
              /** @default false */
              required?: boolean;
            }[];
            successUrl?: string | null;
            active?: boolean;
          };
        };
      };
      responses: {
        201: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["PaymentLink"];
            };
          };
        };
      };
    };
  };
  "/merchant/link/edit": {
    patch: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            paymentLinkId: string;
            name?: string;
            priceId?: string;
            amount?: string;
            openAmount?: {
              min?: string;
              max?: string;
              suggested?: string[];
            };
            currency?: string;
            description?: string | null;
            fields?: {
              /** @enum {string} */
              name: "email" | "name" | "note";
              /** @default false */
              required?: boolean;
            }[];
            successUrl?: string | null;
            active?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["PaymentLink"];
            };
          };
        };
      };
    };
  };
  "/merchant/link/delete": {
    delete: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            paymentLinkId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                deleted: boolean;
                paymentLinkId: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/link/list": {
    get: {
      parameters: {
        query?: {
          priceId?: string;
          active?: boolean;
          mode?: "live" | "sandbox";
          page?: number;
          limit?: number;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                links: components["schemas"]["ListedPaymentLink"][];
                pagination: components["schemas"]["Pagination"];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/counter/create": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            name: string;
            currency?: string;
            tips?: number[];
            favourites?: string[];
          };
        };
      };
      responses: {
        201: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Counter"];
            };
          };
        };
      };
    };
  };
  "/merchant/counter/edit": {
    patch: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            counterId: string;
            name?: string;
            tips?: number[];
            favourites?: string[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Counter"];
            };
          };
        };
      };
    };
  };
  "/merchant/counter/delete": {
    delete: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            counterId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                deleted: boolean;
                counterId: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/counter/list": {
    get: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                counters: components["schemas"]["Counter"][];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/counter/connect": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            counterId: string;
          };
        };
      };
      responses: {
        201: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                code: string;
                url: string;
                /** Format: date-time */
                expiresAt: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/subscription/create": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            priceId: string;
            customerId?: string;
            customer?: {
              /** Format: email */
              email?: string;
              metadata?: {
                [key: string]: unknown;
              };
            };
            /** @default 1 */
            quantity?: number;
            /** @default 0 */
            trialDays?: number;
            /** Format: date-time */
            startAt?: string;
            metadata?: {
              [key: string]: unknown;
            };
            locale?: string;
            /** Format: uri-template */
            successUrl?: string;
            /** Format: uri-template */
            returnUrl?: string;
            allowedCryptos?: ("BTC" | "ETH" | "LTC" | "SOL")[];
          };
        };
      };
      responses: {
        201: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Subscription"];
            };
          };
        };
      };
    };
  };
  "/merchant/subscription/edit": {
    patch: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            subscriptionId: string;
            priceId?: string;
            quantity?: number;
            metadata?: {
              [key: string]: unknown;
            };
            cancelAtPeriodEnd?: boolean;
            email?: string | null;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Subscription"];
            };
          };
        };
      };
    };
  };
  "/merchant/subscription/pause": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            subscriptionId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Subscription"];
            };
          };
        };
      };
    };
  };
  "/merchant/subscription/resume": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            subscriptionId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Subscription"];
            };
          };
        };
      };
    };
  };
  "/merchant/subscription/cancel": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            subscriptionId: string;
            /** @default false */
            atPeriodEnd?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Subscription"];
            };
          };
        };
      };
    };
  };
  "/merchant/subscription/credit": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            subscriptionId: string;
            amount: string;
            note?: string;
            reason?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Subscription"];
            };
          };
        };
      };
    };
  };
  "/merchant/subscription/portal/rotate": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            subscriptionId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Subscription"];
            };
          };
        };
      };
    };
  };
  "/merchant/subscription/get": {
    get: {
      parameters: {
        query: {
          subscriptionId: string;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Subscription"];
            };
          };
        };
      };
    };
  };
  "/merchant/subscription/list": {
    get: {
      parameters: {
        query?: {
          status?: "trialing" | "active" | "past_due" | "paused" | "cancelled" | "ended";
          customerId?: string;
          productId?: string;
          mode?: "live" | "sandbox";
          page?: number;
          limit?: number;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                subscriptions: components["schemas"]["Subscription"][];
                pagination: components["schemas"]["Pagination"];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/subscription/invoices": {
    get: {
      parameters: {
        query: {
          subscriptionId: string;
          page?: number;
          limit?: number;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                invoices: components["schemas"]["SubscriptionInvoice"][];
                pagination: components["schemas"]["Pagination"];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/subscription/summary": {
    get: {
      parameters: {
        query?: {
          months?: number;
          mode?: "live" | "sandbox";
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["SubscriptionSummary"];
            };
          };
        };
      };
    };
  };
  "/payment/create": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            amount?: string;
            currency?: string;
            productId?: string;
            priceId?: string;
            customerId?: string;
            customer?: {
              /** Format: email */
              email?: string;
              metadata?: {
                [key: string]: unknown;
              };
            };
            orderId: string;
            orderLabel?: string;
            metadata?: {
              [key: string]: unknown;
            };
            /** Format: uri */
            webhookUrl?: string;
            /** Format: uri-template */
            successUrl?: string;
            /** Format: uri-template */
            returnUrl?: string;
            allowedCryptos?: ("BTC" | "ETH" | "LTC" | "SOL")[];
            customFields?: {
              [key: string]: unknown;
            };
            lifetimeMinutes?: number;
            confirmations?: {
              [key: string]: number;
            };
            locale?: string;
            description?: string;
            lines?: {
              name: string;
              quantity: number;
              amount: string;
            }[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["PayerPayment"];
            };
          };
        };
        201: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["PayerPayment"];
            };
          };
        };
      };
    };
  };
  "/payment/update": {
    patch: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            paymentId: string;
            amount?: string;
            currency?: string;
            lines?: {
              name: string;
              quantity: number;
              amount: string;
            }[];
            description?: string;
            orderLabel?: string;
            metadata?: {
              [key: string]: unknown;
            };
            successUrl?: string;
            returnUrl?: string;
            lifetimeMinutes?: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Payment"];
            };
          };
        };
      };
    };
  };
  "/payment/get": {
    get: {
      parameters: {
        query: {
          paymentId: string;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Payment"] | components["schemas"]["PayerPayment"];
            };
          };
        };
      };
    };
  };
  "/payment/list": {
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          mode?: "live" | "sandbox";
          status?: "pending" | "underpaid" | "confirming" | "completed" | "expired" | "cancelled" | "failed" | "refunded";
          exception?: "underpaid" | "overpaid" | "late" | "multiple" | "reversed";
          customerId?: string;
          orderId?: string;
          coin?: "BTC" | "ETH" | "LTC" | "SOL";
          startDate?: string;
          endDate?: string;
          timeZone?: string;
          updatedAfter?: string;
          search?: string;
          sort?: "-createdAt" | "createdAt" | "orderId" | "-orderId" | "status" | "-status";
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                payments: components["schemas"]["Payment"][];
                pagination: components["schemas"]["Pagination"];
              };
            };
          };
        };
      };
    };
  };
  "/payment/cancel": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            paymentId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Payment"];
            };
          };
        };
      };
    };
  };
  "/payment/resolve": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            paymentId: string;
            /** @enum {string} */
            action: "accept" | "refunded";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Payment"];
            };
          };
        };
      };
    };
  };
  "/payment/note": {
    get: {
      parameters: {
        query: {
          paymentId: string;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                paymentId: string;
                note: string | null;
                updatedBy: string | null;
                updatedAt: string | null;
              };
            };
          };
        };
      };
    };
    patch: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            paymentId: string;
            note: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                paymentId: string;
                hasNote: boolean;
              };
            };
          };
        };
      };
    };
  };
  "/payment/refund": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            paymentId: string;
            destination: string;
            /** @enum {string} */
            coin?: "BTC" | "ETH" | "LTC" | "SOL";
            amount?: string;
            currency?: string;
            /** @enum {string} */
            rate?: "received" | "current";
            subtractFee?: boolean;
            maxFee?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                id: string;
                /** @enum {string} */
                status: "pending" | "underpaid" | "confirming" | "completed" | "expired" | "cancelled" | "failed" | "refunded";
                exception: ("underpaid" | "overpaid" | "late" | "multiple" | "reversed") | null;
                amount: string;
                currency: string;
                orderId: string;
                orderLabel: string | null;
                supersededBy?: string;
                productId: string | null;
                priceId: string | null;
                successUrl: string | null;
                returnUrl: string | null;
                locale: string | null;
                description: string | null;
                lines: {
                  name: string;
                  quantity: number;
                  amount: string;
                }[];
                tip: string | null;
                allowedCryptos: string[];
                sandbox: boolean;
                checkoutUrl: string;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                expiresAt: string;
                /** Format: date-time */
                updatedAt: string;
                options: {
                  [key: string]: {
                    address: string;
                    amount: string;
                    rate: string;
                    rateSources: string[];
                    /** Format: date-time */
                    rateAt: string;
                    uri: string | null;
                    received: string;
                    confirmations: number;
                    requiredConfirmations: number;
                    finality: ("safe" | "finalized") | null;
                  };
                };
                transactions: {
                  /** @enum {string} */
                  coin: "BTC" | "ETH" | "LTC" | "SOL";
                  txid: string;
                  index: number;
                  amount: string;
                  /** @enum {string} */
                  status: "unconfirmed" | "confirmed" | "reversed";
                  confirmations: number;
                  blockHeight: number | null;
                  late: boolean;
                  /** Format: date-time */
                  firstSeenAt: string;
                  paymentId?: string;
                  fiatAmount: string | null;
                  rate: string | null;
                  rateAt: string | null;
                }[];
                receipt: {
                  number: string;
                  /** Format: date-time */
                  issuedAt: string;
                } | null;
                receivedFiat: string | null;
                customerId: string | null;
                renews?: string;
                renewedBy?: string;
                metadata: {
                  [key: string]: unknown;
                } | null;
                customFields: {
                  [key: string]: unknown;
                } | null;
                webhookUrl?: string | null;
                keptFiat: string | null;
                refunds: components["schemas"]["Refund"][];
                timeline: {
                  type: string;
                  sequence: number;
                  /** Format: date-time */
                  at: string;
                }[];
                refund: components["schemas"]["Refund"];
              };
            };
          };
        };
      };
    };
  };
  "/payment/refund-link": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            paymentId: string;
            amount?: string;
            currency?: string;
            /** @enum {string} */
            preset?: "all" | "excess";
            /** @enum {string} */
            coin?: "BTC" | "ETH" | "LTC" | "SOL";
            /**
             * @default received
             * @enum {string}
             */
            rate?: "received" | "current";
            /** @default 30 */
            expiresInDays?: number;
            /** @default false */
            approval?: boolean;
            /** @default false */
            deductFee?: boolean;
            reason?: string;
          };
        };
      };
      responses: {
        201: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["RefundLink"];
            };
          };
        };
      };
    };
  };
  "/payment/refund-link/cancel": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            linkId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["RefundLink"];
            };
          };
        };
      };
    };
  };
  "/payment/refund-link/approve": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            linkId: string;
            claimId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["RefundLink"];
            };
          };
        };
      };
    };
  };
  "/payment/refund-links": {
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          mode?: "live" | "sandbox";
          paymentId?: string;
          status?: "open" | "claimed" | "approved" | "paid" | "expired" | "cancelled";
          urls?: boolean;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                refundLinks: components["schemas"]["RefundLink"][];
                pagination: components["schemas"]["Pagination"];
              };
            };
          };
        };
      };
    };
  };
  "/payment/receipt": {
    get: {
      parameters: {
        query: {
          paymentId: string;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Receipt"];
            };
          };
        };
      };
    };
  };
  "/payment/receipt/mail": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            paymentId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Receipt"];
            };
          };
        };
      };
    };
  };
  "/merchant/volume": {
    get: {
      parameters: {
        query?: {
          mode?: "live" | "sandbox";
          startDate?: string;
          endDate?: string;
          timezone?: string;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                days: components["schemas"]["VolumeDay"][];
                totals: {
                  coins: {
                    /** @enum {string} */
                    coin: "BTC" | "ETH" | "LTC" | "SOL";
                    amount: string;
                    payments: number;
                  }[];
                  fiat: {
                    currency: string;
                    coin: ("BTC" | "ETH" | "LTC" | "SOL") | null;
                    amount: string;
                    payments: number;
                  }[];
                };
              };
            };
          };
        };
      };
    };
  };
  "/payment/export": {
    get: {
      parameters: {
        query?: {
          mode?: "live" | "sandbox";
          from?: string;
          to?: string;
          timeZone?: string;
          format?: "json" | "csv";
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                lines: components["schemas"]["Movement"][];
              };
            };
            "text/csv": string;
          };
        };
      };
    };
  };
  "/payment/month-report": {
    get: {
      parameters: {
        query?: {
          mode?: "live" | "sandbox";
          month?: string;
          timeZone?: string;
          format?: "json" | "csv" | "pdf";
          language?: "en" | "de" | "es" | "fr" | "it" | "nl" | "pl" | "pt" | "ar";
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                month: string;
                /** @enum {string} */
                mode: "live" | "sandbox";
                timeZone: string;
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                before: string;
                isFinal: boolean;
                totals: components["schemas"]["MonthTotal"][];
                balances: components["schemas"]["MonthBalance"][];
                rates: components["schemas"]["MonthRate"][];
                receipts: components["schemas"]["MonthReceipts"];
              };
            };
            "text/csv": string;
            "application/pdf": string;
          };
        };
      };
    };
  };
  "/rates": {
    get: {
      parameters: {
        query?: {
          mode?: "live" | "sandbox";
          currency?: string;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                rates: {
                  [key: string]: {
                    rate: string;
                    sources: string[];
                    /** Format: date-time */
                    at: string;
                  };
                };
              };
            };
          };
        };
      };
    };
  };
  "/sandbox/payment/simulate": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            paymentId: string;
            /** @enum {string} */
            scenario: "exact" | "underpay" | "overpay" | "late" | "double-spend" | "reorg" | "confirm";
            /** @enum {string} */
            coin?: "BTC" | "ETH" | "LTC" | "SOL";
            amount?: string;
            confirmations?: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Payment"];
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/balances": {
    get: {
      parameters: {
        query?: {
          mode?: "live" | "sandbox";
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                BTC: string;
                ETH: string;
                LTC: string;
                SOL: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/addresses": {
    get: {
      parameters: {
        query?: {
          mode?: "live" | "sandbox";
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                BTC: string;
                ETH: string;
                LTC: string;
                SOL: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/send": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            destination?: string;
            amount?: string;
            outputs?: {
              destination: string;
              amount: string;
            }[];
            inputs?: {
              txHash: string;
              index: number;
            }[];
            /** @enum {string} */
            coin: "BTC" | "ETH" | "LTC" | "SOL";
            from?: string;
            /** @enum {string} */
            mode?: "live" | "sandbox";
            subtractFee?: boolean;
            maxFee?: string;
            feeRate?: string;
            note?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Send"];
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/estimate-fee": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            destination?: string;
            amount?: string;
            outputs?: {
              destination: string;
              amount: string;
            }[];
            inputs?: {
              txHash: string;
              index: number;
            }[];
            /** @enum {string} */
            coin: "BTC" | "ETH" | "LTC" | "SOL";
            from?: string;
            /** @enum {string} */
            mode?: "live" | "sandbox";
            subtractFee?: boolean;
            maxFee?: string;
            feeRate?: string;
            note?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                fee: string;
                amount: string;
                total: string;
                maxFee: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/send-status": {
    get: {
      parameters: {
        query?: {
          sendId?: string;
          txHash?: string;
          idempotencyKey?: string;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Send"];
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/transactions": {
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          mode?: "live" | "sandbox";
          coin?: "BTC" | "ETH" | "LTC" | "SOL";
          direction?: "in" | "out";
          startDate?: string;
          endDate?: string;
          timeZone?: string;
          search?: string;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                transactions: components["schemas"]["WalletTransaction"][];
                pagination: components["schemas"]["Pagination"];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/send/bump": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            sendId: string;
            feeRate?: string;
            maxFee?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Send"];
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/send/cancel": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            sendId: string;
            feeRate?: string;
            maxFee?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Send"];
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/psbt/submit": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            sendId: string;
            psbt: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Send"];
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/treasury": {
    get: {
      parameters: {
        query?: {
          mode?: "live" | "sandbox";
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Treasury"];
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/outputs": {
    get: {
      parameters: {
        query: {
          page?: number;
          limit?: number;
          mode?: "live" | "sandbox";
          coin: "BTC" | "ETH" | "LTC" | "SOL";
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                outputs: components["schemas"]["WalletOutput"][];
                pagination: components["schemas"]["Pagination"];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/outputs/freeze": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @enum {string} */
            coin: "BTC" | "ETH" | "LTC" | "SOL";
            outputs: {
              txHash: string;
              index: number;
            }[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                changed: number;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/outputs/unfreeze": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @enum {string} */
            coin: "BTC" | "ETH" | "LTC" | "SOL";
            outputs: {
              txHash: string;
              index: number;
            }[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                changed: number;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/consolidate": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @enum {string} */
            coin: "BTC" | "ETH" | "LTC" | "SOL";
            feeRate?: string;
            maxFee?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                sendId: string;
                txHash: string;
                outputs: number;
                amount: string;
                fee: string;
                maxFee: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/labels": {
    get: {
      parameters: {
        query: {
          mode?: "live" | "sandbox";
          coin: "BTC" | "ETH" | "LTC" | "SOL";
          format?: "json" | "jsonl";
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                labels: components["schemas"]["WalletLabel"][];
              };
            };
            "application/jsonl": string;
          };
        };
      };
    };
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @enum {string} */
            coin: "BTC" | "ETH" | "LTC" | "SOL";
            labels: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                labels: number;
                frozen: number;
                unfrozen: number;
                unknown: number;
                ignored: number;
                truncated: number;
                unreadable: {
                  line: number;
                  message: string;
                }[];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/freeze": {
    get: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["WalletFreeze"];
            };
          };
        };
      };
    };
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            reason?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["WalletFreeze"];
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/limits": {
    get: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["WalletLimits"];
            };
          };
        };
      };
    };
    patch: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            currency?: string;
            perSend?: string | null;
            perDay?: string | null;
            allowList?: {
              /** @enum {string} */
              coin: "BTC" | "ETH" | "LTC" | "SOL";
              destination: string;
              /** @default  */
              label?: string;
            }[] | null;
            approvers?: string[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["WalletLimits"];
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/limits/pending": {
    delete: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            /** @enum {string} */
            part?: "perSend" | "perDay" | "allowList" | "approvers" | "confirmation";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["WalletLimits"];
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/forward": {
    get: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                forwards: components["schemas"]["WalletForward"][];
              };
            };
          };
        };
      };
    };
    delete: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            /** @enum {string} */
            coin: "BTC" | "ETH" | "LTC" | "SOL";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                deleted: boolean;
              };
            };
          };
        };
      };
    };
    patch: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            /** @enum {string} */
            coin: "BTC" | "ETH" | "LTC" | "SOL";
            destination?: string;
            descriptor?: string;
            keep?: string;
            threshold?: string;
            intervalMinutes?: number;
            active?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["WalletForward"];
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/forward/pending": {
    delete: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            /** @enum {string} */
            coin: "BTC" | "ETH" | "LTC" | "SOL";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["WalletForward"];
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/watch": {
    get: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                accounts: components["schemas"]["WatchAccount"][];
              };
            };
          };
        };
      };
    };
    post: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            /** @enum {string} */
            coin: "BTC" | "ETH" | "LTC" | "SOL";
            descriptor?: string;
            xpub?: string;
            path?: string;
            addresses?: string[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["WatchAccount"];
            };
          };
        };
      };
    };
    delete: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            /** @enum {string} */
            coin: "BTC" | "ETH" | "LTC" | "SOL";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                ended: boolean;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/watch/confirm": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            id: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["WatchAccount"];
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/watch/pending": {
    delete: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            /** @enum {string} */
            coin: "BTC" | "ETH" | "LTC" | "SOL";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                dropped: boolean;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/send/approvals": {
    get: {
      parameters: {
        query?: {
          all?: boolean;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                approvals: components["schemas"]["SendApproval"][];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/send/approve": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            sendId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Send"];
            };
          };
        };
      };
    };
  };
  "/merchant/wallet/send/reject": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            merchantId: string;
            sendId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["Send"];
            };
          };
        };
      };
    };
  };
  "/merchant/events": {
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          mode?: "live" | "sandbox";
          after?: number;
          wait?: number;
          type?: components["schemas"]["EventType"];
          paymentId?: string;
          subscriptionId?: string;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                events: components["schemas"]["Event"][];
                pagination?: components["schemas"]["Pagination"];
                nextAfter?: number;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/webhook-logs": {
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          mode?: "live" | "sandbox";
          status?: number;
          state?: "pending" | "delivered" | "failed";
          event?: components["schemas"]["EventType"];
          paymentId?: string;
          deliveryId?: string;
          startDate?: string;
          endDate?: string;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                logs: components["schemas"]["WebhookLog"][];
                pagination: components["schemas"]["Pagination"];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/webhook/deliveries": {
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          mode?: "live" | "sandbox";
          state?: "pending" | "delivered" | "failed";
          event?: components["schemas"]["EventType"];
          endpointId?: string;
          paymentId?: string;
          startDate?: string;
          endDate?: string;
          timeZone?: string;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                deliveries: components["schemas"]["WebhookDelivery"][];
                pagination: components["schemas"]["Pagination"];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/webhook/test": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            endpointId?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                id: string;
                logId: string;
                status: number;
                error: string | null;
                eventId: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/webhook/redeliver": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            logId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                id: string;
                logId: string;
                status: number;
                error: string | null;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/webhook/endpoint/create": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** Format: uri */
            url: string;
            /** @default null */
            events?: components["schemas"]["EventType"][] | null;
            /** @default true */
            active?: boolean;
          };
        };
      };
      responses: {
        201: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                id: string;
                url: string;
                default: boolean;
                events: components["schemas"]["EventType"][] | null;
                active: boolean;
                createdBy: {
                  /** @enum {string} */
                  kind: "user" | "secret" | "restricted" | "public" | "link" | "counter";
                  id: string;
                  name: string | null;
                } | null;
                health: {
                  lastSuccessAt: string | null;
                  lastFailureAt: string | null;
                  failuresInARow: number;
                  lastError: string | null;
                  gone: boolean;
                };
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
                secret: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/webhook/endpoint/edit": {
    patch: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            endpointId: string;
            /** Format: uri */
            url?: string;
            events?: components["schemas"]["EventType"][] | null;
            active?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: components["schemas"]["WebhookEndpoint"];
            };
          };
        };
      };
    };
  };
  "/merchant/webhook/endpoint/delete": {
    delete: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            endpointId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                deleted: boolean;
                endpointId: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/webhook/endpoint/list": {
    get: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                endpoints: components["schemas"]["WebhookEndpoint"][];
              };
            };
          };
        };
      };
    };
  };
  "/merchant/webhook/endpoint/secret": {
    get: {
      parameters: {
        query: {
          endpointId: string;
          merchantId?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                secret: string;
              };
            };
          };
        };
      };
    };
  };
  "/merchant/webhook/endpoint/rotate-secret": {
    post: {
      parameters: {
        query?: {
          merchantId?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            endpointId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                secret: string;
              };
            };
          };
        };
      };
    };
  };
  "/healthz": {
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                /** @constant */
                status: "ok";
                version: string;
              };
            };
          };
        };
      };
    };
  };
  "/readyz": {
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              /** @constant */
              success: true;
              error: null;
              data: {
                ready: boolean;
                database?: string;
                chains?: {
                  [key: string]: {
                    /** @enum {string} */
                    coin: "BTC" | "ETH" | "LTC" | "SOL";
                    /** @enum {string} */
                    mode: "live" | "sandbox";
                    /** @enum {string} */
                    state: "starting" | "following" | "catching_up" | "behind" | "wrong_chain" | "error";
                    height: number | null;
                    lag: number | null;
                    lastError: string | null;
                    errorKind?: string | null;
                    lastSeenAt?: number | null;
                    nodeVersion?: string | null;
                    nodeWarnings?: string | null;
                    unexplainedAccounts?: number | null;
                    unread?: {
                      count: number;
                      transactions: {
                        txid: string;
                        height: number | null;
                        account: string | null;
                        reason: string;
                        attempts: number;
                        firstSeenAt: number;
                        retryAt: number;
                      }[];
                    };
                    warnings: string[];
                    alarms: ("unknown_version" | "new_transactions" | "unreadable" | "unread_transactions" | "wrong_chain" | "pruned" | "clock_skew" | "node_outdated" | "blocks_only")[];
                  };
                };
                warnings?: string[];
                backup?: {
                  lastAt?: string | null;
                  ageSeconds?: number | null;
                };
                replica?: {
                  epoch?: number;
                  lagSeconds?: number | null;
                  lastError?: string | null;
                } | null;
                update?: {
                  version?: string;
                  /** Format: date-time */
                  publishedAt?: string;
                  notesUrl?: string;
                  security?: boolean;
                } | null;
              };
            };
          };
        };
      };
    };
  };
  "/metrics": {
    get: {
      responses: {
        200: {
          content: {
            "text/plain": string;
          };
        };
      };
    };
  };
  "/openapi.json": {
    get: {
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/docs": {
    get: {
      responses: {
        200: {
          content: {
            "text/html": string;
          };
        };
      };
    };
  };
}
export interface webhooks {
  "payment.created": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "payment.created";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "payment.updated": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "payment.updated";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "payment.confirming": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "payment.confirming";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "payment.underpaid": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "payment.underpaid";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "payment.completed": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "payment.completed";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "payment.overpaid": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "payment.overpaid";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "payment.late": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "payment.late";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "payment.expired": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "payment.expired";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "payment.cancelled": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "payment.cancelled";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "payment.superseded": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "payment.superseded";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "payment.reversed": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "payment.reversed";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "payment.failed": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "payment.failed";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "payment.refunded": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "payment.refunded";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "payment.partially_refunded": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "payment.partially_refunded";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "payment.refund_failed": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "payment.refund_failed";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "refund.claimed": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "refund.claimed";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
              refundLink: components["schemas"]["RefundLink"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "refund.delayed": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "refund.delayed";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
              refundLink: components["schemas"]["RefundLink"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "refund.paid": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "refund.paid";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
              refundLink: components["schemas"]["RefundLink"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "refund.expired": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "refund.expired";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
              refundLink: components["schemas"]["RefundLink"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "refund.cancelled": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "refund.cancelled";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              payment: components["schemas"]["Payment"];
              refundLink: components["schemas"]["RefundLink"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "subscription.created": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "subscription.created";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              subscription: components["schemas"]["Subscription"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "subscription.invoiced": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "subscription.invoiced";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              subscription: components["schemas"]["Subscription"];
              invoice: components["schemas"]["SubscriptionInvoice"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "subscription.renewed": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "subscription.renewed";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              subscription: components["schemas"]["Subscription"];
              invoice: components["schemas"]["SubscriptionInvoice"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "subscription.past_due": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "subscription.past_due";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              subscription: components["schemas"]["Subscription"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "subscription.paused": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "subscription.paused";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              subscription: components["schemas"]["Subscription"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "subscription.resumed": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "subscription.resumed";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              subscription: components["schemas"]["Subscription"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "subscription.cancelled": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "subscription.cancelled";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              subscription: components["schemas"]["Subscription"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "subscription.ended": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "subscription.ended";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              subscription: components["schemas"]["Subscription"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "subscription.trial_ending": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "subscription.trial_ending";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              subscription: components["schemas"]["Subscription"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "subscription.updated": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "subscription.updated";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              subscription: components["schemas"]["Subscription"];
              invoice?: components["schemas"]["SubscriptionInvoice"];
              note?: string;
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "send.pending_approval": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "send.pending_approval";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              send: components["schemas"]["Send"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "send.rejected": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "send.rejected";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              send: components["schemas"]["Send"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "send.expired": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "send.expired";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              send: components["schemas"]["Send"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "send.awaiting_signature": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "send.awaiting_signature";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              send: components["schemas"]["Send"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "send.broadcast": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "send.broadcast";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              send: components["schemas"]["Send"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "send.confirmed": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "send.confirmed";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              send: components["schemas"]["Send"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "send.failed": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "send.failed";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              send: components["schemas"]["Send"];
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "domain.verified": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "domain.verified";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              domain: {
                name: string;
                isVerified: boolean;
                /** @enum {string} */
                method: "dns" | "file" | "meta";
                verifiedAt: string | null;
                lastError: string | null;
              };
              merchant: {
                id: string;
                name: string;
              };
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "domain.revoked": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "domain.revoked";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              domain: {
                name: string;
                isVerified: boolean;
                /** @enum {string} */
                method: "dns" | "file" | "meta";
                verifiedAt: string | null;
                lastError: string | null;
              };
              merchant: {
                id: string;
                name: string;
              };
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
  "webhook.test": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            id: string;
            /** @constant */
            type: "webhook.test";
            /** Format: date-time */
            timestamp: string;
            sandbox: boolean;
            sequence: number;
            data: {
              message: string;
            };
            /** @constant */
            truncated?: true;
          };
        };
      };
    };
  };
}
export interface components {
  schemas: {
    /** @enum {string} */
    EventType: "payment.created" | "payment.updated" | "payment.confirming" | "payment.underpaid" | "payment.completed" | "payment.overpaid" | "payment.late" | "payment.expired" | "payment.cancelled" | "payment.superseded" | "payment.reversed" | "payment.failed" | "payment.refunded" | "payment.partially_refunded" | "payment.refund_failed" | "refund.claimed" | "refund.delayed" | "refund.paid" | "refund.expired" | "refund.cancelled" | "subscription.created" | "subscription.invoiced" | "subscription.renewed" | "subscription.past_due" | "subscription.paused" | "subscription.resumed" | "subscription.cancelled" | "subscription.ended" | "subscription.trial_ending" | "subscription.updated" | "send.pending_approval" | "send.rejected" | "send.expired" | "send.awaiting_signature" | "send.broadcast" | "send.confirmed" | "send.failed" | "domain.verified" | "domain.revoked" | "webhook.test";
    User: {
      id: string;
      email: string;
      isVerified: boolean;
    };
    Merchant: {
      id: string;
      name: string;
      description: string | null;
      domain: string;
      isVerified: boolean;
      webhookUrl?: string | null;
      sandboxMode: boolean;
      paymentLifetimeMinutes: number;
      tolerancePercent: string;
      /** @enum {string} */
      latePayments: "accept" | "review";
      embedOrigins: string[];
      currency: string;
      timeZone: string | null;
      supportContact: string | null;
      business: {
        legalName: string;
        addressLines: string[];
        country: string;
        taxNumber: string | null;
        email: string | null;
      } | null;
      receiptPrefix: string;
      accentColor: string | null;
      logoPath: string | null;
      renewExpired: boolean;
      invoiceLeadDays: number;
      graceDays: number;
      excessToCredit: boolean;
      payerMayAskExcess: boolean;
      payerMayPause: boolean;
      payerMayCancel: boolean;
      mailsSubscribers: boolean;
      keysSuspended: boolean;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      /** @enum {string} */
      role?: "owner" | "manager" | "clerk" | "bookkeeper";
      scopes?: ("payments:read" | "payments:write" | "refunds:write" | "customers:read" | "customers:write" | "catalog:read" | "catalog:write" | "subscriptions:read" | "subscriptions:write" | "webhooks:read" | "webhooks:write" | "events:read" | "wallet:read" | "wallet:send")[];
    };
    CoinReadiness: {
      /** @enum {string} */
      coin: "BTC" | "ETH" | "LTC" | "SOL";
      /** @enum {string} */
      state: "ready" | "not_configured" | "unreachable" | "syncing" | "wrong_network" | "failing" | "unknown";
      height: number | null;
      lag: number | null;
      message: string;
    };
    Notices: {
      mailServer: boolean;
      email: string;
      isVerified: boolean;
      language: ("en" | "de" | "es" | "fr" | "it" | "nl" | "pl" | "pt" | "ar") | null;
      testPayments: boolean;
      kinds: {
        /** @enum {string} */
        kind: "paid" | "decision" | "refund_claim" | "reversed" | "send" | "webhook" | "freeze" | "approval" | "forward" | "digest" | "month_end";
        enabled: boolean;
        fixed: boolean;
      }[];
    };
    ApiKey: {
      id: string;
      /** @enum {string} */
      kind: "public" | "secret";
      key: string | null;
      prefix: string;
      lastFour: string;
      /** Format: date-time */
      createdAt: string;
      expiresAt: string | null;
      lastUsedAt: string | null;
    };
    RestrictedKey: {
      id: string;
      name: string;
      scopes: ("payments:read" | "payments:write" | "refunds:write" | "customers:read" | "customers:write" | "catalog:read" | "catalog:write" | "subscriptions:read" | "subscriptions:write" | "webhooks:read" | "webhooks:write" | "events:read" | "wallet:read" | "wallet:send")[];
      prefix: string;
      lastFour: string;
      /** Format: date-time */
      createdAt: string;
      lastUsedAt: string | null;
      expiresAt: string | null;
      limits: {
        perSend: {
          amount: string;
          currency: string;
        } | null;
        perDay: {
          amount: string;
          currency: string;
        } | null;
      } | null;
      createdBy: {
        /** @enum {string} */
        kind: "user" | "secret" | "restricted" | "public" | "link" | "counter";
        id: string;
        name: string | null;
      } | null;
    };
    AttentionItem: {
      id: string;
      /** @enum {string} */
      kind: "payment_reversed" | "refund_claim" | "send_approval" | "refund_delayed" | "send_failed" | "send_stuck" | "send_fee_limited" | "payment_late" | "payment_short" | "payment_over" | "payment_after_refund" | "addresses_gone" | "addresses_low" | "invoice_problem" | "subscription_past_due" | "webhook_gone" | "webhook_failing" | "node_down" | "transactions_unread" | "rates_unsure" | "backup_old" | "replica_behind" | "certificate_ending" | "security_update" | "update_available";
      /** @enum {string} */
      severity: "urgent" | "normal";
      since: string | null;
      subject: {
        paymentId: string | null;
        order: string | null;
        linkId: string | null;
        claimId: string | null;
        sendId: string | null;
        endpointId: string | null;
        subscriptionId: string | null;
        coin: ("BTC" | "ETH" | "LTC" | "SOL") | null;
        destination: string | null;
      };
      amount: string | null;
      currency: string | null;
      price: string | null;
      approval: {
        requestedBy: string | null;
        reasons: ("per_send" | "per_day" | "key_per_send" | "key_per_day" | "destination" | "rate_unknown" | "sum_unknown" | "limits_unconfirmed" | "restored")[];
        /** Format: date-time */
        expiresAt: string;
      } | null;
      problem: ("rate_unavailable" | "coin_unavailable" | "price_not_payable" | "other") | null;
      message: string;
      action: {
        /** @enum {string} */
        type: "request_payment" | "replace_payment" | "accept_payment" | "decide_payment" | "refund_excess" | "approve_refund" | "approve_send" | "fund_wallet" | "add_addresses" | "open_send" | "open_subscription" | "retry_endpoint" | "open_nodes";
        url: string;
      };
      mayDismiss: boolean;
    };
    Pagination: {
      page: number;
      limit: number;
      total: number;
    };
    Customer: {
      id: string;
      email: string;
      metadata: {
        [key: string]: unknown;
      };
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    Product: {
      id: string;
      name: string;
      description: string | null;
      recurring: boolean;
      recurringInterval: ("daily" | "weekly" | "monthly" | "quarterly" | "yearly") | null;
      active: boolean;
      merchantIds?: string[] | null;
      mayChange: boolean;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    Price: {
      id: string;
      productId: string;
      amount: string;
      currency: string;
      active: boolean;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    PaymentLink: {
      id: string;
      /** @enum {string} */
      kind: "link" | "pos";
      url: string;
      name: string;
      description: string | null;
      priceId: string | null;
      amount: string | null;
      openAmount: {
        min?: string;
        max?: string;
        suggested?: string[];
      } | null;
      currency: string | null;
      fields: {
        /** @enum {string} */
        name: "email" | "name" | "note";
        required: boolean;
      }[];
      successUrl: string | null;
      active: boolean;
      createdBy: {
        /** @enum {string} */
        kind: "user" | "secret" | "restricted" | "public" | "link" | "counter";
        id: string;
        name: string | null;
      } | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    ListedPaymentLink: {
      id: string;
      /** @enum {string} */
      kind: "link" | "pos";
      url: string;
      name: string;
      description: string | null;
      priceId: string | null;
      amount: string | null;
      openAmount: {
        min?: string;
        max?: string;
        suggested?: string[];
      } | null;
      currency: string | null;
      fields: {
        /** @enum {string} */
        name: "email" | "name" | "note";
        required: boolean;
      }[];
      successUrl: string | null;
      active: boolean;
      createdBy: {
        /** @enum {string} */
        kind: "user" | "secret" | "restricted" | "public" | "link" | "counter";
        id: string;
        name: string | null;
      } | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      price: {
        product: string;
        amount: string;
        currency: string;
      } | null;
      payments: {
        count: number;
        totals: {
          currency: string;
          amount: string;
        }[];
      };
    };
    Counter: {
      id: string;
      name: string;
      currency: string;
      tips: number[];
      favourites: string[];
      connectedAt: string | null;
      lastUsedAt: string | null;
      createdBy: {
        /** @enum {string} */
        kind: "user" | "secret" | "restricted" | "public" | "link" | "counter";
        id: string;
        name: string | null;
      } | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    Subscription: {
      id: string;
      /** @enum {string} */
      status: "trialing" | "active" | "past_due" | "paused" | "cancelled" | "ended";
      /** @enum {string} */
      mode: "live" | "sandbox";
      customerId: string;
      productId: string;
      priceId: string;
      quantity: number;
      /** @enum {string} */
      interval: "daily" | "weekly" | "monthly" | "quarterly" | "yearly";
      amount: string;
      /** Format: date-time */
      currentPeriodStart: string;
      /** Format: date-time */
      currentPeriodEnd: string;
      activeUntil: string | null;
      nextInvoiceAt: string | null;
      openPaymentId: string | null;
      cancelAtPeriodEnd: boolean;
      cancelledBy: ("merchant" | "payer") | null;
      credit: string;
      currency: string;
      metadata?: {
        [key: string]: unknown;
      };
      invoiceProblem?: {
        /** @enum {string} */
        reason: "rate_unavailable" | "coin_unavailable" | "price_not_payable" | "other";
        /** Format: date-time */
        since: string;
      } | null;
      portalUrl?: string | null;
      email?: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    SubscriptionInvoice: {
      n: number;
      orderId: string;
      /** Format: date-time */
      periodStart: string;
      /** Format: date-time */
      periodEnd: string;
      amount: string;
      creditApplied: string;
      due: string;
      credited: string;
      prorated: string;
      currency: string;
      /** @enum {string} */
      status: "open" | "paid" | "void";
      paymentId: string | null;
      /** Format: date-time */
      createdAt: string;
      paidAt: string | null;
    };
    SubscriptionSummary: {
      /** @enum {string} */
      mode: "live" | "sandbox";
      timeZone: string;
      monthlyRecurringRevenue: {
        currency: string;
        amount: string;
        subscriptions: number;
      }[];
      upcoming: {
        currency: string;
        amount: string;
        invoices: number;
      }[];
      months: {
        month: string;
        activeAtStart: number;
        lost: number;
        revenue: {
          currency: string;
          invoices: number;
          amount: string;
          creditApplied: string;
        }[];
      }[];
    };
    PayerPayment: {
      id: string;
      /** @enum {string} */
      status: "pending" | "underpaid" | "confirming" | "completed" | "expired" | "cancelled" | "failed" | "refunded";
      exception: ("underpaid" | "overpaid" | "late" | "multiple" | "reversed") | null;
      amount: string;
      currency: string;
      orderId: string;
      orderLabel: string | null;
      supersededBy?: string;
      productId: string | null;
      priceId: string | null;
      successUrl: string | null;
      returnUrl: string | null;
      locale: string | null;
      description: string | null;
      lines: {
        name: string;
        quantity: number;
        amount: string;
      }[];
      tip: string | null;
      allowedCryptos: string[];
      sandbox: boolean;
      checkoutUrl: string;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      expiresAt: string;
      /** Format: date-time */
      updatedAt: string;
      options: {
        [key: string]: {
          address: string;
          amount: string;
          rate: string;
          rateSources: string[];
          /** Format: date-time */
          rateAt: string;
          uri: string | null;
          received: string;
          confirmations: number;
          requiredConfirmations: number;
          finality: ("safe" | "finalized") | null;
        };
      };
      transactions: {
        /** @enum {string} */
        coin: "BTC" | "ETH" | "LTC" | "SOL";
        txid: string;
        index: number;
        amount: string;
        /** @enum {string} */
        status: "unconfirmed" | "confirmed" | "reversed";
        confirmations: number;
        blockHeight: number | null;
        late: boolean;
        /** Format: date-time */
        firstSeenAt: string;
        paymentId?: string;
        fiatAmount: string | null;
        rate: string | null;
        rateAt: string | null;
      }[];
      receipt: {
        number: string;
        /** Format: date-time */
        issuedAt: string;
      } | null;
      receivedFiat: string | null;
    };
    Payment: {
      id: string;
      /** @enum {string} */
      status: "pending" | "underpaid" | "confirming" | "completed" | "expired" | "cancelled" | "failed" | "refunded";
      exception: ("underpaid" | "overpaid" | "late" | "multiple" | "reversed") | null;
      amount: string;
      currency: string;
      orderId: string;
      orderLabel: string | null;
      supersededBy?: string;
      productId: string | null;
      priceId: string | null;
      successUrl: string | null;
      returnUrl: string | null;
      locale: string | null;
      description: string | null;
      lines: {
        name: string;
        quantity: number;
        amount: string;
      }[];
      tip: string | null;
      allowedCryptos: string[];
      sandbox: boolean;
      checkoutUrl: string;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      expiresAt: string;
      /** Format: date-time */
      updatedAt: string;
      options: {
        [key: string]: {
          address: string;
          amount: string;
          rate: string;
          rateSources: string[];
          /** Format: date-time */
          rateAt: string;
          uri: string | null;
          received: string;
          confirmations: number;
          requiredConfirmations: number;
          finality: ("safe" | "finalized") | null;
        };
      };
      transactions: {
        /** @enum {string} */
        coin: "BTC" | "ETH" | "LTC" | "SOL";
        txid: string;
        index: number;
        amount: string;
        /** @enum {string} */
        status: "unconfirmed" | "confirmed" | "reversed";
        confirmations: number;
        blockHeight: number | null;
        late: boolean;
        /** Format: date-time */
        firstSeenAt: string;
        paymentId?: string;
        fiatAmount: string | null;
        rate: string | null;
        rateAt: string | null;
      }[];
      receipt: {
        number: string;
        /** Format: date-time */
        issuedAt: string;
      } | null;
      receivedFiat: string | null;
      customerId: string | null;
      renews?: string;
      renewedBy?: string;
      metadata: {
        [key: string]: unknown;
      } | null;
      customFields: {
        [key: string]: unknown;
      } | null;
      webhookUrl?: string | null;
      keptFiat: string | null;
      refunds: components["schemas"]["Refund"][];
      timeline: {
        type: string;
        sequence: number;
        /** Format: date-time */
        at: string;
      }[];
    };
    Refund: {
      sendId: string;
      /** @enum {string} */
      coin: "BTC" | "ETH" | "LTC" | "SOL";
      refunded: string;
      amount: string;
      fee: string;
      maxFee: string;
      feeLimited: boolean;
      fiatAmount: string | null;
      linkId: string | null;
      txHash: string | null;
      destination: string;
      /** @enum {string} */
      status: "preparing" | "awaiting_signature" | "queued" | "signed" | "broadcast" | "confirmed" | "failed" | "pending_approval" | "rejected" | "expired";
      error: string | null;
      expiresAt?: string | null;
      /** Format: date-time */
      createdAt: string;
    };
    RefundLink: {
      id: string;
      paymentId: string;
      url: string | null;
      /** @enum {string} */
      status: "open" | "claimed" | "approved" | "paid" | "expired" | "cancelled";
      amount: string;
      currency: string;
      /** @enum {string} */
      rate: "received" | "current";
      preset: ("all" | "excess") | null;
      coinAmounts: {
        [key: string]: string;
      };
      approval: boolean;
      deductFee: boolean;
      /** @enum {string} */
      requestedBy: "merchant" | "payer";
      reason: string | null;
      coin: ("BTC" | "ETH" | "LTC" | "SOL") | null;
      destination: string | null;
      claimId: string | null;
      sendId: string | null;
      txHash: string | null;
      problem: string | null;
      cancelReason: ("cancelled" | "payment_received" | "refunded_elsewhere") | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      expiresAt: string;
      claimedAt: string | null;
      approvedAt: string | null;
      paidAt: string | null;
    };
    Receipt: {
      url: string | null;
      pdfUrl: string | null;
      number: string | null;
      issuedAt: string | null;
      seller: {
        legalName: string;
        addressLines: string[];
        country: string;
        taxNumber: string | null;
        email: string | null;
      } | null;
      mail: {
        to: string;
        /** @enum {string} */
        state: "unsent" | "pending" | "sent" | "failed";
      } | null;
    };
    VolumeDay: {
      /** Format: date */
      date: string;
      coins: {
        /** @enum {string} */
        coin: "BTC" | "ETH" | "LTC" | "SOL";
        amount: string;
        payments: number;
      }[];
      fiat: {
        currency: string;
        coin: ("BTC" | "ETH" | "LTC" | "SOL") | null;
        amount: string;
        payments: number;
      }[];
    };
    Movement: {
      /** Format: date-time */
      at: string;
      /** @enum {string} */
      kind: "payment" | "refund" | "send" | "sweep" | "fee" | "reversal";
      paymentId: string | null;
      orderId: string | null;
      sendId: string | null;
      /** @enum {string} */
      coin: "BTC" | "ETH" | "LTC" | "SOL";
      amount: string;
      currency: string | null;
      rate: string | null;
      fiatAmount: string | null;
      txHash: string;
      address: string | null;
      note: string | null;
      orderLabel: string | null;
      paymentNote: string | null;
      receiptNumber: string | null;
      tip: string | null;
    };
    MonthTotal: {
      /** @enum {string} */
      kind: "payment" | "deposit" | "refund" | "send" | "sweep" | "fee";
      /** @enum {string} */
      coin: "BTC" | "ETH" | "LTC" | "SOL";
      currency: string | null;
      count: number;
      amount: string;
      fiatAmount: string | null;
      unpricedAmount: string;
    };
    MonthBalance: {
      /** @enum {string} */
      coin: "BTC" | "ETH" | "LTC" | "SOL";
      opening: string;
      incoming: string;
      outgoing: string;
      fees: string;
      closing: string;
    };
    MonthRate: {
      /** @enum {string} */
      coin: "BTC" | "ETH" | "LTC" | "SOL";
      currency: string;
      lowest: string;
      highest: string;
      sources: string[];
    };
    MonthReceipts: {
      first: string | null;
      last: string | null;
      totals: {
        currency: string;
        count: number;
        fiatAmount: string;
        tips: string;
      }[];
    };
    Send: {
      id: string;
      /** @enum {string} */
      status: "preparing" | "awaiting_signature" | "queued" | "signed" | "broadcast" | "confirmed" | "failed" | "pending_approval" | "rejected" | "expired";
      /** @enum {string} */
      coin: "BTC" | "ETH" | "LTC" | "SOL";
      sandbox: boolean;
      from: string;
      txHash: string | null;
      fee: string;
      amount: string;
      destination: string;
      outputs: components["schemas"]["SendOutput"][] | null;
      subtractFee: boolean;
      confirmations: number;
      parts: {
        total: number;
        confirmed: number;
      } | null;
      error: string | null;
      note: string | null;
      reason: "forward" | null;
      maxFee: string;
      feeLimited: boolean;
      cancelling: boolean;
      psbt: string | null;
      signatures: {
        required: number;
        collected: number;
      } | null;
      expiresAt: string | null;
      approvalReasons: ("per_send" | "per_day" | "key_per_send" | "key_per_day" | "destination" | "rate_unknown" | "sum_unknown" | "limits_unconfirmed" | "restored")[];
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    SendOutput: {
      destination: string;
      amount: string;
    };
    WalletTransaction: {
      id: string;
      /** @enum {string} */
      direction: "in" | "out";
      /** @enum {string} */
      coin: "BTC" | "ETH" | "LTC" | "SOL";
      txHash: string | null;
      address: string;
      outputs: components["schemas"]["SendOutput"][] | null;
      amount: string;
      fee: string | null;
      maxFee: string | null;
      feeLimited: boolean;
      status: string;
      parts: {
        total: number;
        confirmed: number;
      } | null;
      confirmations: number;
      paymentId: string | null;
      error: string | null;
      currency: string | null;
      rate: string | null;
      fiatAmount: string | null;
      /** Format: date-time */
      createdAt: string;
    };
    Treasury: {
      /** @enum {string} */
      mode: "live" | "sandbox";
      currency: string;
      timeZone: string;
      coins: {
        /** @enum {string} */
        coin: "BTC" | "ETH" | "LTC" | "SOL";
        hot: {
          confirmed: components["schemas"]["ValuedAmount"];
          unconfirmed: components["schemas"]["ValuedAmount"];
        };
        watched: {
          confirmed: components["schemas"]["ValuedAmount"];
          unconfirmed: components["schemas"]["ValuedAmount"];
        };
        promised: components["schemas"]["ValuedAmount"] | null;
        forwarded: {
          total: components["schemas"]["ValuedAmount"];
          last30Days: components["schemas"]["ValuedAmount"];
        };
      }[];
      today: {
        /** Format: date */
        date: string;
        spent: string | null;
        limit: string | null;
        currency: string;
        keys: {
          id: string;
          name: string;
          spent: string | null;
          limit: string | null;
          currency: string;
        }[];
      };
      days: {
        /** Format: date */
        date: string;
        fiatIn: string | null;
        fiatOut: string | null;
        coins: {
          /** @enum {string} */
          coin: "BTC" | "ETH" | "LTC" | "SOL";
          in: string;
          out: string;
        }[];
      }[];
    };
    ValuedAmount: {
      amount: string;
      fiatAmount: string | null;
    };
    WalletOutput: {
      txHash: string;
      index: number;
      /** @enum {string} */
      coin: "BTC" | "ETH" | "LTC" | "SOL";
      address: string;
      amount: string;
      confirmations: number;
      frozen: boolean;
      spendable: boolean;
      hold: ("frozen" | "reserved" | "spending" | "unconfirmed" | "immature" | "watched" | "dust") | null;
      sendId: string | null;
      paymentId: string | null;
      label: string | null;
    };
    WalletLabel: {
      /** @enum {string} */
      type: "tx" | "addr" | "output" | "xpub";
      ref: string;
      label?: string;
      origin?: string;
      spendable?: boolean;
    };
    WalletFreeze: {
      frozen: boolean;
      byOperator: boolean;
      frozenAt: string | null;
      frozenBy: string | null;
      reason: string | null;
    };
    WalletLimits: {
      perSend: {
        amount: string;
        currency: string;
      } | null;
      perDay: {
        amount: string;
        currency: string;
      } | null;
      allowList: {
        /** @enum {string} */
        coin: "BTC" | "ETH" | "LTC" | "SOL";
        destination: string;
        label: string;
      }[] | null;
      approvers: string[];
      confirmed: boolean;
      pending: {
        /** @enum {string} */
        part: "perSend" | "perDay" | "allowList" | "approvers" | "confirmation";
        /** Format: date-time */
        takesEffectAt: string;
        amount: {
          amount: string;
          currency: string;
        } | null;
        destination: {
          /** @enum {string} */
          coin: "BTC" | "ETH" | "LTC" | "SOL";
          destination: string;
          label: string;
        } | null;
        approvers: string[] | null;
      }[];
    };
    WalletForward: {
      /** @enum {string} */
      coin: "BTC" | "ETH" | "LTC" | "SOL";
      sandbox: boolean;
      active: boolean;
      destination: string | null;
      descriptor: string | null;
      addresses: string[];
      nextIndex: number | null;
      keep: string;
      threshold: string;
      intervalMinutes: number;
      /** @enum {string} */
      status: "off" | "no_destination" | "in_flight" | "interval" | "below_threshold" | "due" | "frozen" | "suspended" | "restored" | "gap_limit" | "above_limit" | "fee_above_share" | "rate_unavailable" | "node_unavailable" | "unsendable" | "rejected" | "failed";
      problem: string | null;
      pending: {
        destination: string | null;
        descriptor: string | null;
        addresses: string[];
        nextIndex: number | null;
        /** Format: date-time */
        takesEffectAt: string;
      } | null;
      gap: number;
      lastSendId: string | null;
      lastForwardAt: string | null;
      /** Format: date-time */
      updatedAt: string;
    };
    WatchAccount: {
      id: string;
      /** @enum {string} */
      coin: "BTC" | "ETH" | "LTC" | "SOL";
      sandbox: boolean;
      /** @enum {string} */
      state: "proposed" | "pending" | "active" | "ended";
      active: boolean;
      descriptor: string | null;
      list: {
        size: number;
        remaining: number;
        last: string;
      } | null;
      addresses: string[];
      nextIndex: number;
      takesEffectAt: string | null;
      balance: string;
      unconfirmed: string;
      gap: number;
      changeGap: number;
      /** Format: date-time */
      createdAt: string;
    };
    SendApproval: {
      send: components["schemas"]["Send"];
      /** @enum {string} */
      kind: "send" | "refund" | "claim";
      requestedBy: string | null;
      decidedBy: string | null;
      paymentId: string | null;
      linkId: string | null;
      canApprove: boolean;
    };
    Event: {
      id: string;
      seq: number;
      type: components["schemas"]["EventType"];
      /** Format: date-time */
      createdAt: string;
      sandbox: boolean;
      paymentId: string | null;
      subscriptionId: string | null;
      sequence: number;
      data: {
        [key: string]: unknown;
      };
      truncated: boolean;
      deliveries: {
        endpoint?: string;
        /** @enum {string} */
        status: "pending" | "delivered" | "failed";
        attempts: number;
        nextAttemptAt: string | null;
      }[];
    };
    WebhookLog: {
      id: string;
      /** Format: date-time */
      createdAt: string;
      paymentId: string | null;
      eventId: string;
      endpoint: string;
      /** @enum {string} */
      state: "pending" | "delivered" | "failed";
      nextAttemptAt: string | null;
      status: number;
      attempt: number;
      durationMs: number;
      error: string | null;
      request: {
        method: string;
        headers: {
          [key: string]: string;
        };
        body: {
          [key: string]: unknown;
        };
      };
      response: {
        status: number;
        headers: {
          [key: string]: string;
        };
        body: string;
      };
    };
    WebhookDelivery: {
      id: string;
      event: components["schemas"]["EventType"];
      eventId: string;
      paymentId: string | null;
      sendId: string | null;
      endpoint: string;
      endpointId: string | null;
      /** @enum {string} */
      state: "pending" | "delivered" | "failed";
      attempts: number;
      /** Format: date-time */
      createdAt: string;
      nextAttemptAt: string | null;
      last: {
        logId: string;
        /** Format: date-time */
        at: string;
        status: number;
        durationMs: number;
        error: string | null;
      } | null;
    };
    WebhookEndpoint: {
      id: string;
      url: string;
      default: boolean;
      events: components["schemas"]["EventType"][] | null;
      active: boolean;
      createdBy: {
        /** @enum {string} */
        kind: "user" | "secret" | "restricted" | "public" | "link" | "counter";
        id: string;
        name: string | null;
      } | null;
      health: {
        lastSuccessAt: string | null;
        lastFailureAt: string | null;
        failuresInARow: number;
        lastError: string | null;
        gone: boolean;
      };
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    FieldProblem: {
      field: string;
      code: string;
      message: string;
      existingId?: string;
    };
    Error: {
      status: number;
      /** @enum {string} */
      code: "UNAUTHORISED" | "INVALID_CREDENTIALS" | "SECOND_FACTOR_REQUIRED" | "FORBIDDEN" | "STEP_UP_REQUIRED" | "RATE_LIMITED" | "CUSTOMER_NOT_FOUND" | "MERCHANT_NOT_FOUND" | "PRODUCT_NOT_FOUND" | "PRICE_NOT_FOUND" | "PAYMENT_NOT_FOUND" | "PAYMENT_LINK_NOT_FOUND" | "COUNTER_NOT_FOUND" | "SUBSCRIPTION_NOT_FOUND" | "SEND_NOT_FOUND" | "WATCH_NOT_FOUND" | "LINK_NOT_FOUND" | "LOG_NOT_FOUND" | "KEY_NOT_FOUND" | "SESSION_NOT_FOUND" | "PASSKEY_NOT_FOUND" | "PERSON_NOT_FOUND" | "INVITATION_NOT_FOUND" | "INVALID_CODE" | "ENDPOINT_NOT_FOUND" | "DUPLICATE_ENTRY" | "INSUFFICIENT_BALANCE" | "VALIDATION_INVALID" | "INVALID_STATE" | "SEND_REJECTED" | "FEE_ABOVE_LIMIT" | "WALLET_FROZEN" | "APPROVAL_REQUIRED" | "REGISTRATION_CLOSED" | "EMAIL_UNCONFIRMED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "PAYLOAD_TOO_LARGE" | "HEADERS_TOO_LARGE" | "IDEMPOTENCY_MISMATCH" | "IDEMPOTENCY_IN_FLIGHT" | "RATE_UNAVAILABLE" | "NODE_UNAVAILABLE" | "COIN_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "INTERNAL_ERROR";
      message: string;
      details?: components["schemas"]["FieldProblem"][];
    };
  };
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
