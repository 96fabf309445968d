// Written by `npm run api-types` from the daemon's own OpenAPI document, which a test compares it with.

export interface paths {
    "/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** Format: email */
                        email: string;
                        password: string;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/verify-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        token: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/resend-verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            success: true;
                            error: null;
                            data: {
                                sent: boolean;
                            };
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/forgot-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        token: string;
                        password: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/change-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/totp/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        password: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/totp/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        code: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            success: true;
                            error: null;
                            data: {
                                recoveryCodes: string[];
                            };
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/totp/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
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
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            success: true;
                            error: null;
                            data: {
                                /** @constant */
                                enabled: false;
                            };
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
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
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        trace?: never;
    };
    "/merchant/sandbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/verify-domain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/verify-domain/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        merchantId: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/keys/regenerate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query: {
                    merchantId: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            success: true;
                            error: null;
                            data: {
                                keys: components["schemas"]["ApiKey"][];
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/webhook/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/webhook/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/customer/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/customer/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        trace?: never;
    };
    "/merchant/customer/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    page?: number;
                    limit?: number;
                    search?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/product/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                        description?: string | null;
                        /** @default false */
                        recurring?: boolean;
                        recurringInterval?: ("daily" | "weekly" | "monthly" | "yearly") | null;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/product/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        productId: string;
                        name?: string;
                        description?: string | null;
                        active?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        trace?: never;
    };
    "/merchant/product/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/product/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    page?: number;
                    limit?: number;
                    active?: boolean;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/price/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/price/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        trace?: never;
    };
    "/merchant/price/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/price/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    page?: number;
                    limit?: number;
                    productId?: string;
                    active?: boolean;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payment/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        amount?: string;
                        currency?: string;
                        productId?: string;
                        priceId?: string;
                        customerId: string;
                        orderId: string;
                        metadata?: {
                            [key: string]: unknown;
                        };
                        /** Format: uri */
                        webhookUrl?: string;
                        /** Format: uri */
                        successUrl?: string;
                        /** Format: uri */
                        returnUrl?: string;
                        allowedCryptos?: ("BTC" | "ETH" | "LTC" | "SOL")[];
                        customFields?: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payment/get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query: {
                    paymentId: string;
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payment/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    page?: number;
                    limit?: number;
                    status?: "pending" | "underpaid" | "confirming" | "completed" | "expired" | "cancelled" | "failed" | "refunded";
                    customerId?: string;
                    orderId?: string;
                    coin?: "BTC" | "ETH" | "LTC" | "SOL";
                    startDate?: string;
                    endDate?: string;
                    search?: string;
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payment/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payment/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payment/refund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        paymentId: string;
                        destination: string;
                        /** @enum {string} */
                        coin?: "BTC" | "ETH" | "LTC" | "SOL";
                        amount?: string;
                        subtractFee?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            success: true;
                            error: null;
                            data: {
                                id: string;
                                /** @enum {string} */
                                status: "pending" | "underpaid" | "confirming" | "completed" | "expired" | "cancelled" | "failed" | "refunded";
                                exception: ("underpaid" | "overpaid" | "late" | "multiple") | null;
                                amount: string;
                                currency: string;
                                orderId: string;
                                productId: string | null;
                                priceId: string | null;
                                successUrl: string | null;
                                returnUrl: string | null;
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
                                }[];
                                customerId: string;
                                metadata: {
                                    [key: string]: unknown;
                                } | null;
                                customFields: {
                                    [key: string]: unknown;
                                } | null;
                                webhookUrl: string | null;
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/volume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    startDate?: string;
                    endDate?: string;
                    timezone?: string;
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    currency?: string;
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/payment/simulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/wallet/balances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/wallet/addresses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/wallet/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        destination: string;
                        amount: string;
                        /** @enum {string} */
                        coin: "BTC" | "ETH" | "LTC" | "SOL";
                        subtractFee?: boolean;
                        maxFee?: string;
                        feeRate?: string;
                        note?: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/wallet/estimate-fee": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        destination: string;
                        amount: string;
                        /** @enum {string} */
                        coin: "BTC" | "ETH" | "LTC" | "SOL";
                        subtractFee?: boolean;
                        maxFee?: string;
                        feeRate?: string;
                        note?: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            success: true;
                            error: null;
                            data: {
                                fee: string;
                                amount: string;
                                total: string;
                            };
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/wallet/send-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    sendId?: string;
                    txHash?: string;
                    idempotencyKey?: string;
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/wallet/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    page?: number;
                    limit?: number;
                    coin?: "BTC" | "ETH" | "LTC" | "SOL";
                    direction?: "in" | "out";
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/wallet/send/bump": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/wallet/send/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/wallet/outputs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query: {
                    page?: number;
                    limit?: number;
                    coin: "BTC" | "ETH" | "LTC" | "SOL";
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/wallet/outputs/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/wallet/outputs/unfreeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/wallet/consolidate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
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
                    headers: {
                        [name: string]: unknown;
                    };
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
                            };
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/webhook-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    page?: number;
                    limit?: number;
                    status?: number;
                    paymentId?: string;
                    startDate?: string;
                    endDate?: string;
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    page?: number;
                    limit?: number;
                    type?: "payment.created" | "payment.confirming" | "payment.underpaid" | "payment.completed" | "payment.overpaid" | "payment.late" | "payment.expired" | "payment.cancelled" | "payment.reversed" | "payment.failed" | "payment.refunded" | "payment.refund_failed" | "send.broadcast" | "send.confirmed" | "send.failed" | "domain.verified" | "domain.revoked" | "webhook.test";
                    paymentId?: string;
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            success: true;
                            error: null;
                            data: {
                                events: components["schemas"]["Event"][];
                                pagination: components["schemas"]["Pagination"];
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/webhook/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchant/webhook/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    merchantId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
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
                    headers: {
                        [name: string]: unknown;
                    };
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            success: true;
                            error: null;
                            data: {
                                /** @constant */
                                status: "ok";
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            success: true;
                            error: null;
                            data: {
                                ready: boolean;
                                database: string;
                                chains: {
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
                                        lastSeenAt?: number | null;
                                        nodeVersion?: string | null;
                                        nodeWarnings?: string | null;
                                        unexplainedAccounts?: number | null;
                                        warnings: string[];
                                        alarms: ("unknown_version" | "new_transactions" | "unreadable" | "wrong_chain" | "pruned" | "clock_skew" | "node_outdated" | "blocks_only")[];
                                    };
                                };
                                warnings: string[];
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
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
            webhookUrl: string | null;
            sandboxMode: boolean;
            paymentLifetimeMinutes: number;
            tolerancePercent: string;
            /** @enum {string} */
            latePayments: "accept" | "review";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
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
        Pagination: {
            page: number;
            limit: number;
            total: number;
        };
        Product: {
            id: string;
            name: string;
            description: string | null;
            recurring: boolean;
            recurringInterval: ("daily" | "weekly" | "monthly" | "yearly") | null;
            active: boolean;
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
        PayerPayment: {
            id: string;
            /** @enum {string} */
            status: "pending" | "underpaid" | "confirming" | "completed" | "expired" | "cancelled" | "failed" | "refunded";
            exception: ("underpaid" | "overpaid" | "late" | "multiple") | null;
            amount: string;
            currency: string;
            orderId: string;
            productId: string | null;
            priceId: string | null;
            successUrl: string | null;
            returnUrl: string | null;
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
            }[];
        };
        Payment: {
            id: string;
            /** @enum {string} */
            status: "pending" | "underpaid" | "confirming" | "completed" | "expired" | "cancelled" | "failed" | "refunded";
            exception: ("underpaid" | "overpaid" | "late" | "multiple") | null;
            amount: string;
            currency: string;
            orderId: string;
            productId: string | null;
            priceId: string | null;
            successUrl: string | null;
            returnUrl: string | null;
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
            }[];
            customerId: string;
            metadata: {
                [key: string]: unknown;
            } | null;
            customFields: {
                [key: string]: unknown;
            } | null;
            webhookUrl: string | null;
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
            txHash: string;
            destination: string;
            /** @enum {string} */
            status: "signed" | "broadcast" | "confirmed" | "failed";
            error: string | null;
            /** Format: date-time */
            createdAt: string;
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
        Send: {
            id: string;
            /** @enum {string} */
            status: "signed" | "broadcast" | "confirmed" | "failed";
            /** @enum {string} */
            coin: "BTC" | "ETH" | "LTC" | "SOL";
            sandbox: boolean;
            txHash: string;
            fee: string;
            amount: string;
            destination: string;
            subtractFee: boolean;
            confirmations: number;
            error: string | null;
            note: string | null;
            maxFee: string | null;
            cancelling: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        WalletTransaction: {
            id: string;
            /** @enum {string} */
            direction: "in" | "out";
            /** @enum {string} */
            coin: "BTC" | "ETH" | "LTC" | "SOL";
            txHash: string;
            address: string;
            amount: string;
            fee: string | null;
            status: string;
            confirmations: number;
            paymentId: string | null;
            error: string | null;
            /** Format: date-time */
            createdAt: string;
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
            hold: ("frozen" | "reserved" | "spending" | "unconfirmed" | "immature" | "dust") | null;
            sendId: string | null;
            paymentId: string | null;
        };
        WebhookLog: {
            id: string;
            /** Format: date-time */
            createdAt: string;
            paymentId: string | null;
            eventId: string;
            endpoint: string;
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
        Event: {
            id: string;
            /** @enum {string} */
            type: "payment.created" | "payment.confirming" | "payment.underpaid" | "payment.completed" | "payment.overpaid" | "payment.late" | "payment.expired" | "payment.cancelled" | "payment.reversed" | "payment.failed" | "payment.refunded" | "payment.refund_failed" | "send.broadcast" | "send.confirmed" | "send.failed" | "domain.verified" | "domain.revoked" | "webhook.test";
            /** Format: date-time */
            createdAt: string;
            sandbox: boolean;
            paymentId: string | null;
            sequence: number;
            data: {
                [key: string]: unknown;
            };
            deliveries: {
                endpoint: string;
                /** @enum {string} */
                status: "pending" | "delivered" | "failed";
                attempts: number;
                nextAttemptAt: string | null;
            }[];
        };
        FieldProblem: {
            field: string;
            code: string;
            message: string;
        };
        Error: {
            status: number;
            code: string;
            message: string;
            details?: components["schemas"]["FieldProblem"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
