<?php

declare(strict_types=1);

namespace Tilld;

/**
 * The API of a tilld daemon. One file, PHP 7.4 or later, needs the curl extension unless a transport is given.
 *
 *     $till = new Tilld(['baseUrl' => 'https://pay.shop.example', 'key' => getenv('TILLD_KEY')]);
 *     $payment = $till->payments->create(['orderId' => '1001', 'amount' => '19.90', 'currency' => 'EUR', 'customer' => []]);
 *
 * Amounts are decimal strings in both directions: floats are refused.
 */
final class Tilld
{
    public const VERSION = '0.1.0';

    /** What a payment means to a shop, by its status, and by its exception where that tells more. */
    public const SHOP_STATES = [
        'pending' => 'waiting',
        // Part of it came in time and more too late: whether that is enough is for the merchant to decide.
        'underpaid' => ['none' => 'short', 'underpaid' => 'short', 'late' => 'late', 'reversed' => 'short'],
        'confirming' => 'seen',
        'completed' => 'paid',
        'expired' => ['none' => 'lost', 'late' => 'late', 'reversed' => 'lost'],
        'cancelled' => ['none' => 'lost', 'late' => 'late', 'reversed' => 'lost'],
        'failed' => ['none' => 'lost', 'late' => 'late', 'reversed' => 'lost'],
        'refunded' => 'refunded',
    ];

    /** Currencies that a payment can be priced in, by the decimals of their minor unit (ISO 4217). */
    private const CODES_BY_DIGITS = [
        // Begin of the table that `npm run currency-tables` writes from the daemon's own, which a test compares it with.
        0 => 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
        2 => 'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF '
            . 'CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD '
            . 'GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL '
            . 'MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR '
            . 'PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP '
            . 'TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG',
        3 => 'BHD IQD JOD KWD LYD OMR TND',
        4 => 'CLF UYW',
        // End of the table.
    ];

    private const MAX_AMOUNT_LENGTH = 64;
    /** So many digits fit into an integer of PHP. */
    private const MAX_MINOR_DIGITS = 18;

    /** @var Payments */
    public $payments;
    /** @var Refunds */
    public $refunds;
    /** @var RefundLinks */
    public $refundLinks;
    /** @var Customers */
    public $customers;
    /** @var Products */
    public $products;
    /** @var Prices */
    public $prices;
    /** @var Links Payment links: pages by which anybody pays. */
    public $links;

    /** @var Counters Counters: devices that charge customers in a shop. */
    public $counters;
    /** @var Subscriptions */
    public $subscriptions;
    /** @var Wallet */
    public $wallet;
    /** @var Webhooks */
    public $webhooks;
    /** @var Endpoints Webhook endpoints beside the merchant's own URL. */
    public $endpoints;
    /** @var Events */
    public $events;
    /** @var Merchants */
    public $merchants;
    /** @var Keys */
    public $keys;
    /** @var Connect */
    public $connect;
    /** @var Rates */
    public $rates;
    /** @var Sandbox */
    public $sandbox;
    /** @var Auth */
    public $auth;
    /** @var Service For those who run the daemon. */
    public $service;
    /** @var Requests */
    private $requests;

    /**
     * @param array{
     *   baseUrl: string, key?: ?string, transport?: callable, timeout?: float, retries?: int, retryBudget?: float,
     *   onRetry?: callable, sleep?: callable
     * } $options
     *   key: secret, restricted or public key, or a user token; timeout: seconds for one attempt (30); retries: attempts
     *   after the first of what may succeed later (2); retryBudget: no further attempt begins later than so many seconds
     *   after the first (60); onRetry: hears (TilldException, seconds) of every failure that is tried again; transport:
     *   (method, url, headers, ?body, timeout) -> ['status' =>, 'headers' => lower-case names, 'body' =>], throws
     *   ConnectionException where no answer came.
     */
    public function __construct(array $options)
    {
        $this->requests = new Requests($options);
        $this->payments = new Payments($this->requests);
        $this->refunds = new Refunds($this->requests);
        $this->refundLinks = new RefundLinks($this->requests);
        $this->customers = new Customers($this->requests);
        $this->products = new Products($this->requests);
        $this->prices = new Prices($this->requests);
        $this->links = new Links($this->requests);
        $this->counters = new Counters($this->requests);
        $this->subscriptions = new Subscriptions($this->requests);
        $this->wallet = new Wallet($this->requests);
        $this->webhooks = new Webhooks($this->requests);
        $this->endpoints = new Endpoints($this->requests);
        $this->events = new Events($this->requests);
        $this->merchants = new Merchants($this->requests);
        $this->keys = new Keys($this->requests);
        $this->connect = new Connect($this->requests);
        $this->rates = new Rates($this->requests);
        $this->sandbox = new Sandbox($this->requests);
        $this->auth = new Auth($this->requests);
        $this->service = new Service($this->requests);
    }

    /**
     * Any operation by method and path.
     *
     * @param array{query?: array, body?: array, idempotencyKey?: string, merchantId?: string, timeout?: float, retries?: int} $parts
     * @return mixed the `data` of the answer
     */
    public function request(string $method, string $path, array $parts = [])
    {
        $body = array_key_exists('body', $parts) ? $parts['body'] : null;
        return $this->requests->call($method, $path, $parts['query'] ?? [], $body, $parts);
    }

    /**
     * What a payment means to a shop: waiting, seen, paid, short, late, lost or refunded; superseded where another payment
     * of the order got its money: the order is what that one (`supersededBy`) says.
     *
     * @param array{status: string, exception: ?string, supersededBy?: string} $payment
     * @throws \UnexpectedValueException for a state that this version does not know: nothing is concluded from it
     */
    public static function shopState(array $payment): string
    {
        if (isset($payment['supersededBy'])) {
            return 'superseded';
        }
        $entry = self::SHOP_STATES[$payment['status']] ?? null;
        $state = is_array($entry) ? ($entry[$payment['exception'] ?? 'none'] ?? null) : $entry;
        if ($state === null) {
            $exception = $payment['exception'] ?? 'null';
            throw new \UnexpectedValueException("unknown state of a payment: {$payment['status']}/{$exception}");
        }
        return $state;
    }

    /**
     * Whether a subscription entitles its customer now. The status does not matter: a paid period stays paid after a
     * cancellation, and `activeUntil` contains the days of grace.
     *
     * @param array{activeUntil: ?string} $subscription
     * @param ?int $now seconds; a subscription that was read earlier counts until it changes
     * @throws \UnexpectedValueException for an `activeUntil` that is not a time: nothing is concluded from it
     */
    public static function subscriptionAccess(array $subscription, ?int $now = null): bool
    {
        if (!array_key_exists('activeUntil', $subscription)) {
            throw new \UnexpectedValueException('a subscription without activeUntil');
        }
        if ($subscription['activeUntil'] === null) {
            return false;
        }
        $until = strtotime($subscription['activeUntil']);
        if ($until === false) {
            throw new \UnexpectedValueException("not a time: {$subscription['activeUntil']}");
        }
        return ($now ?? time()) < $until;
    }

    /**
     * Decimals of a currency's minor unit (ISO 4217): EUR 2, JPY 0, KWD 3, CLF 4. Upper or lower case.
     *
     * @throws \InvalidArgumentException for a code that tilld cannot price a payment in
     */
    public static function currencyDigits(string $currency): int
    {
        $code = strtoupper($currency);
        foreach (self::CODES_BY_DIGITS as $digits => $codes) {
            if (in_array($code, explode(' ', $codes), true)) {
                return $digits;
            }
        }
        throw new \InvalidArgumentException("not a currency of tilld: {$currency}");
    }

    /**
     * A decimal amount with exactly the decimals of its currency, half up: 24.9 EUR is `24.90`, 10.005 EUR is `10.01`.
     * Two amounts of a currency are equal where these texts are.
     *
     * @throws \InvalidArgumentException for what is not a plain decimal number, and for an unknown currency
     */
    public static function roundFiat(string $amount, string $currency): string
    {
        $digits = self::currencyDigits($currency);
        [$whole, $fraction] = self::decimalParts($amount, $digits);
        $kept = $whole . substr($fraction, 0, $digits);
        return self::placePoint($fraction[$digits] >= '5' ? self::increment($kept) : $kept, $digits);
    }

    /**
     * A decimal amount in minor units of its currency: `24.9` EUR is 2490.
     *
     * @throws \InvalidArgumentException where decimals that are not zero would be lost (`roundFiat` rounds them), and for
     *   what does not fit into an integer
     */
    public static function parseMinor(string $amount, string $currency): int
    {
        $digits = self::currencyDigits($currency);
        [$whole, $fraction] = self::decimalParts($amount, $digits);
        if (trim(substr($fraction, $digits), '0') !== '') {
            throw new \InvalidArgumentException("more decimals than {$currency} has: {$amount}");
        }
        $minor = ltrim($whole . substr($fraction, 0, $digits), '0');
        if (strlen($minor) > self::MAX_MINOR_DIGITS) {
            throw new \InvalidArgumentException("too large: {$amount}");
        }
        return (int) $minor;
    }

    /**
     * Minor units as the decimal text that the API accepts, with the decimals of the currency: 2490 EUR is `24.90`.
     *
     * @throws \InvalidArgumentException for a negative number and an unknown currency
     */
    public static function formatMinor(int $minor, string $currency): string
    {
        if ($minor < 0) {
            throw new \InvalidArgumentException("not an amount of money: {$minor}");
        }
        return self::placePoint((string) $minor, self::currencyDigits($currency));
    }

    /** @return array{string, string} digits before the point, and more than so many behind it */
    private static function decimalParts(string $amount, int $decimals): array
    {
        $isShort = strlen($amount) <= self::MAX_AMOUNT_LENGTH;
        if (!$isShort || preg_match('/^(\d+)(?:\.(\d+))?$/D', $amount, $parts) !== 1) {
            $shown = substr($amount, 0, self::MAX_AMOUNT_LENGTH);
            throw new \InvalidArgumentException("not a decimal amount such as \"12.50\": {$shown}");
        }
        return [$parts[1], str_pad($parts[2] ?? '', $decimals + 1, '0')];
    }

    /** One more, digit by digit: an amount may be longer than an integer of PHP. */
    private static function increment(string $digits): string
    {
        $head = rtrim($digits, '9');
        $zeros = str_repeat('0', strlen($digits) - strlen($head));
        return ($head === '' ? '1' : substr($head, 0, -1) . ((int) substr($head, -1) + 1)) . $zeros;
    }

    private static function placePoint(string $minor, int $digits): string
    {
        $text = str_pad(ltrim($minor, '0'), $digits + 1, '0', STR_PAD_LEFT);
        return $digits === 0 ? $text : substr($text, 0, -$digits) . '.' . substr($text, -$digits);
    }

    /**
     * The event that a webhook brings, once its signature (Standard Webhooks) and its time are right.
     *
     * @param string $rawBody the bytes as they came: `file_get_contents('php://input')`
     * @param array<string, string|string[]> $headers by name in any case, or `$_SERVER`
     * @param string|string[] $secrets `whsec_…`, or several while one replaces another
     * @return array{id: string, type: string, timestamp: string, sandbox: bool, sequence: int, data: array}
     * @throws WebhookException with the reason
     */
    public static function verifyWebhook(string $rawBody, array $headers, $secrets, int $toleranceSeconds = 300): array
    {
        $named = self::namedHeaders($headers);
        $id = self::header($named, 'webhook-id');
        $timestamp = self::header($named, 'webhook-timestamp');
        self::checkTimestamp($timestamp, $toleranceSeconds);
        $given = explode(' ', self::header($named, 'webhook-signature'));
        if ($rawBody === '') {
            throw new WebhookException('no_raw_body', 'the body is empty: it needs the bytes as they came');
        }
        $isSigned = false;
        foreach (self::secretsOf($secrets) as $secret) {
            $wanted = self::signature($secret, $id, $timestamp, $rawBody);
            foreach ($given as $signature) {
                // No early end: how long it takes must not tell which secret fits.
                $isSigned = hash_equals($wanted, $signature) || $isSigned;
            }
        }
        if (!$isSigned) {
            throw new WebhookException('wrong_secret', 'signed with another secret, or changed in transit');
        }
        $event = json_decode($rawBody, true, 512, JSON_BIGINT_AS_STRING);
        if (!is_array($event) || !is_string($event['type'] ?? null) || !is_array($event['data'] ?? null)) {
            throw new WebhookException('body', 'signed correctly, but not an event of tilld');
        }
        return $event;
    }

    /**
     * The headers with which tilld would send this body: for tests of a webhook handler.
     *
     * @return array<string, string>
     */
    public static function signForTest(string $rawBody, string $secret, string $id = 'evt_test', ?int $timestamp = null): array
    {
        $at = (string) ($timestamp ?? time());
        return [
            'webhook-id' => $id,
            'webhook-timestamp' => $at,
            'webhook-signature' => self::signature($secret, $id, $at, $rawBody),
        ];
    }

    /**
     * A fresh pair for one connect request (RFC 7636, S256), and its state. Keep verifier and state while the owner is asked.
     *
     * @return array{codeVerifier: string, codeChallenge: string, state: string}
     */
    public static function connectSecrets(): array
    {
        $verifier = self::randomText();
        return [
            'codeVerifier' => $verifier,
            'codeChallenge' => self::base64url(hash('sha256', $verifier, true)),
            'state' => self::randomText(),
        ];
    }

    /**
     * The page on which the owner of a shop agrees to a key for it. He comes back to `redirectUrl` with `code` and
     * `state`, or with `error`; `$till->connect->token` exchanges the code.
     *
     * @param array{baseUrl: string, name: string, scopes: string[], redirectUrl: string, state: string, codeChallenge: string} $request
     */
    public static function connectUrl(array $request): string
    {
        $query = [
            'name' => $request['name'],
            'scopes' => implode(' ', $request['scopes']),
            'redirectUrl' => $request['redirectUrl'],
            'state' => $request['state'],
            'codeChallenge' => $request['codeChallenge'],
        ];
        return rtrim($request['baseUrl'], '/') . '/connect?' . http_build_query($query, '', '&', PHP_QUERY_RFC3986);
    }

    /** 32 random bytes as base64url: for keys, verifiers and states. */
    public static function randomText(): string
    {
        return self::base64url(random_bytes(32));
    }

    private static function base64url(string $bytes): string
    {
        return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
    }

    private static function namedHeaders(array $headers): array
    {
        $named = [];
        foreach ($headers as $name => $value) {
            $plain = str_replace('_', '-', strtolower((string) $name));
            $named[strpos($plain, 'http-') === 0 ? substr($plain, 5) : $plain] = is_array($value) ? reset($value) : $value;
        }
        return $named;
    }

    private static function header(array $named, string $name): string
    {
        $value = $named[$name] ?? '';
        if (!is_string($value) || $value === '') {
            throw new WebhookException('headers', "the header {$name} is missing");
        }
        return $value;
    }

    private static function checkTimestamp(string $timestamp, int $toleranceSeconds): void
    {
        if (preg_match('/^\d{1,12}$/D', $timestamp) !== 1) {
            throw new WebhookException('headers', 'webhook-timestamp is not a time');
        }
        $ahead = (int) $timestamp - time();
        if (abs($ahead) > $toleranceSeconds) {
            $when = $ahead < 0 ? 'ago' : 'in the future';
            throw new WebhookException('clock', 'sent ' . abs($ahead) . " s {$when}: an old request, or a wrong clock");
        }
    }

    private static function secretsOf($secrets): array
    {
        $list = is_array($secrets) ? $secrets : [$secrets];
        if ($list === []) {
            throw new \InvalidArgumentException('no secret to verify webhooks with');
        }
        return $list;
    }

    private static function signature(string $secret, string $id, string $timestamp, string $body): string
    {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        if ($key === false || $key === '') {
            throw new \InvalidArgumentException('a webhook secret is whsec_ and base64');
        }
        return 'v1,' . base64_encode(hash_hmac('sha256', "{$id}.{$timestamp}.{$body}", $key, true));
    }
}

/**
 * A request that did not succeed. `getCode()` is a string: one of the API's codes, or `NO_ANSWER`, `TIMED_OUT`,
 * `UNREADABLE` (cut off, or of something else at that address).
 */
class TilldException extends \RuntimeException
{
    /** @var int HTTP status; 0 without an answer. */
    public $status;
    /** @var array<int, array{field: string, code: string, message: string}> Of a bad request: every field that is wrong. */
    public $details;
    /** @var ?string Finds the request in the log of the server. */
    public $requestId;
    /** @var ?float Seconds that the server wants to be left alone; null when it does not say. */
    public $retryAfter;

    public function __construct(
        string $code,
        string $message,
        int $status = 0,
        array $details = [],
        ?string $requestId = null,
        ?float $retryAfter = null
    ) {
        parent::__construct($message);
        $this->code = $code;
        $this->status = $status;
        $this->details = $details;
        $this->requestId = $requestId;
        $this->retryAfter = $retryAfter;
    }

    /** Whether the same request may succeed later. A POST must then carry the same Idempotency-Key. */
    public function isRetryable(): bool
    {
        if ($this->code === 'COIN_UNAVAILABLE') {
            return false;
        }
        if (in_array($this->code, ['NO_ANSWER', 'TIMED_OUT', 'IDEMPOTENCY_IN_FLIGHT'], true)) {
            return true;
        }
        // A success that was cut off on its way; and what stands before tilld while it restarts.
        if ($this->code === 'UNREADABLE' && $this->status >= 200 && $this->status < 300) {
            return true;
        }
        return in_array($this->status, [429, 502, 503, 504], true);
    }
}

/** No answer came, or not in time: whether the request was done is unknown. */
final class ConnectionException extends TilldException
{
}

/** 400: something in the request is wrong; `details` names each field. */
final class InvalidRequestException extends TilldException
{
}

/** 401: the key is wrong, revoked or expired. */
final class AuthenticationException extends TilldException
{
}

/** 403: the key may not do this. */
final class PermissionException extends TilldException
{
}

/** 404. */
final class NotFoundException extends TilldException
{
}

/** 409: not in this state, or a request with this Idempotency-Key is still being handled. */
final class ConflictException extends TilldException
{
}

/** 429: too fast; `retryAfter` says when to come back. */
final class RateLimitException extends TilldException
{
}

/** 5xx: the daemon cannot do it now. */
final class UnavailableException extends TilldException
{
}

/** A request that is no webhook of tilld's, and why. */
final class WebhookException extends \RuntimeException
{
    /** @var string no_raw_body, headers, clock, wrong_secret or body */
    public $reason;

    public function __construct(string $reason, string $message)
    {
        parent::__construct($message);
        $this->reason = $reason;
    }
}

/** Asks the API, and again where that may help. */
final class Requests
{
    private const FIRST_PAUSE = 0.5;

    private $base;
    private $key;
    private $transport;
    private $timeout;
    private $retries;
    private $retryBudget;
    private $onRetry;
    private $sleep;

    public function __construct(array $options)
    {
        $base = $options['baseUrl'] ?? '';
        if (!is_string($base) || preg_match('~^https?://[^/?#]~', $base) !== 1) {
            throw new \InvalidArgumentException('baseUrl must be an http or https address');
        }
        $key = $options['key'] ?? null;
        // The key is in no message: errors end up in logs.
        if ($key !== null && (!is_string($key) || preg_match('/^[\x21-\x7e]+$/D', $key) !== 1)) {
            throw new \InvalidArgumentException('key: empty, or with blanks or line breaks in it');
        }
        $this->base = rtrim($base, '/');
        $this->key = $key;
        $this->transport = $options['transport'] ?? new CurlTransport();
        $this->timeout = (float) ($options['timeout'] ?? 30);
        $this->retries = (int) ($options['retries'] ?? 2);
        $this->retryBudget = (float) ($options['retryBudget'] ?? 60);
        $this->onRetry = $options['onRetry'] ?? null;
        $this->sleep = $options['sleep'] ?? static function (float $seconds): void {
            usleep((int) ($seconds * 1000000));
        };
    }

    /**
     * @param ?array $body null where the operation takes none
     * @param array{idempotencyKey?: string, merchantId?: string, timeout?: float, retries?: int} $options
     * @param string $as 'data' unwraps the envelope, 'json' and 'text' are answers without one
     * @return mixed
     * @throws TilldException
     */
    public function call(string $method, string $path, array $query, ?array $body, array $options, string $as = 'data')
    {
        $url = $this->base . $path . self::queryOf($query, $options);
        $json = $body === null ? null : self::jsonOf($body);
        $headers = $this->headersOf($method, $json, $options);
        $attempts = (int) ($options['retries'] ?? $this->retries);
        $timeout = (float) ($options['timeout'] ?? $this->timeout);
        $end = microtime(true) + $this->retryBudget;
        for ($attempt = 0; ; $attempt++) {
            try {
                return self::read($method, $path, ($this->transport)($method, $url, $headers, $json, $timeout), $as);
            } catch (TilldException $error) {
                if (!$error->isRetryable() || $attempt >= $attempts) {
                    throw $error;
                }
                $pause = $error->retryAfter ?? self::backoff($attempt);
                if (microtime(true) + $pause > $end) {
                    throw $error;
                }
                if ($this->onRetry !== null) {
                    ($this->onRetry)($error, $pause);
                }
                $this->pause($pause);
            }
        }
    }

    public function pause(float $seconds): void
    {
        ($this->sleep)($seconds);
    }

    /** Half a second, doubled each time, a quarter more or less at random. */
    public static function backoff(int $attempt): float
    {
        return self::FIRST_PAUSE * 2 ** min($attempt, 10) * (0.75 + random_int(0, 1000) / 2000);
    }

    private function headersOf(string $method, ?string $json, array $options): array
    {
        $headers = ['Accept' => 'application/json', 'User-Agent' => 'tilld-php/' . Tilld::VERSION];
        if ($this->key !== null) {
            $headers['Authorization'] = 'Bearer ' . $this->key;
        }
        if ($json !== null) {
            $headers['Content-Type'] = 'application/json';
        }
        if ($method === 'POST') {
            // The same at every attempt of this call, so that a request whose answer was lost is done once.
            $key = $options['idempotencyKey'] ?? Tilld::randomText();
            if (!is_string($key) || preg_match('/^[\x20-\x7e]{1,255}$/D', $key) !== 1) {
                throw new \InvalidArgumentException('idempotencyKey must have 1 to 255 printable ASCII characters');
            }
            $headers['Idempotency-Key'] = $key;
        }
        return $headers;
    }

    private static function queryOf(array $query, array $options): string
    {
        $given = [];
        foreach (array_merge(['merchantId' => $options['merchantId'] ?? null], $query) as $name => $value) {
            if ($value !== null && $value !== '') {
                $given[$name] = is_bool($value) ? ($value ? 'true' : 'false') : (string) $value;
            }
        }
        return $given === [] ? '' : '?' . http_build_query($given, '', '&', PHP_QUERY_RFC3986);
    }

    private static function jsonOf(array $body): string
    {
        self::refuseFloats($body);
        // An empty array would be a list. These are objects wherever the API takes them.
        foreach (['customer', 'metadata', 'customFields', 'confirmations'] as $name) {
            if (($body[$name] ?? null) === []) {
                $body[$name] = new \stdClass();
            }
        }
        $value = $body === [] ? new \stdClass() : $body;
        return json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
    }

    private static function refuseFloats(array $fields): void
    {
        foreach ($fields as $name => $value) {
            if (is_float($value) && in_array($name, ['amount', 'maxFee'], true)) {
                throw new \InvalidArgumentException("{$name} must be a decimal string: a float is not exact");
            }
            if (is_array($value)) {
                self::refuseFloats($value);
            }
        }
    }

    private static function read(string $method, string $path, array $response, string $as)
    {
        ['status' => $status, 'headers' => $headers, 'body' => $text] = $response;
        $isOk = $status >= 200 && $status < 300;
        if ($as === 'text' && $isOk) {
            return $text;
        }
        $answer = json_decode($text, true, 512, JSON_BIGINT_AS_STRING);
        $answer = is_array($answer) ? $answer : null;
        if ($as === 'json' && $isOk && $answer !== null) {
            return $answer;
        }
        if ($isOk && ($answer['success'] ?? null) === true) {
            return $answer['data'];
        }
        // A daemon that is not ready answers 503 and says why.
        if ($path === '/readyz' && is_array($answer['data'] ?? null)) {
            return $answer['data'];
        }
        $what = $status >= 300 && $status < 400 ? 'a redirect, check baseUrl' : "{$status}, not in the terms of the API";
        $class = self::exceptionOf($status);
        throw new $class(
            $answer['error']['code'] ?? 'UNREADABLE',
            $answer['error']['message'] ?? "{$method} {$path} was answered with {$what}",
            $status,
            $answer['error']['details'] ?? [],
            $headers['x-request-id'] ?? null,
            self::retryAfter($headers['retry-after'] ?? null)
        );
    }

    private static function exceptionOf(int $status): string
    {
        $classes = [
            401 => AuthenticationException::class,
            403 => PermissionException::class,
            404 => NotFoundException::class,
            409 => ConflictException::class,
            429 => RateLimitException::class,
        ];
        if (isset($classes[$status])) {
            return $classes[$status];
        }
        if ($status >= 500) {
            return UnavailableException::class;
        }
        return $status >= 400 ? InvalidRequestException::class : TilldException::class;
    }

    /** Seconds or a date. */
    private static function retryAfter(?string $header): ?float
    {
        if ($header === null) {
            return null;
        }
        if (preg_match('/^\d+$/D', $header) === 1) {
            return (float) $header;
        }
        $at = strtotime($header);
        return $at === false ? null : max(0.0, (float) ($at - time()));
    }
}

/** Requests by the curl extension: no redirects, the connection is kept for the next one. */
final class CurlTransport
{
    private $handle = null;

    public function __invoke(string $method, string $url, array $headers, ?string $body, float $timeout): array
    {
        if ($this->handle === null) {
            if (!function_exists('curl_init')) {
                throw new \LogicException('the curl extension is missing: install it, or give a transport');
            }
            $this->handle = curl_init();
        }
        curl_reset($this->handle);
        $received = [];
        $lines = ['Expect:'];
        foreach ($headers as $name => $value) {
            $lines[] = "{$name}: {$value}";
        }
        curl_setopt_array($this->handle, [
            CURLOPT_URL => $url,
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $lines,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_CONNECTTIMEOUT_MS => (int) (min($timeout, 10) * 1000),
            CURLOPT_TIMEOUT_MS => (int) ($timeout * 1000),
            CURLOPT_HEADERFUNCTION => static function ($handle, string $line) use (&$received): int {
                $parts = explode(':', $line, 2);
                if (count($parts) === 2) {
                    $received[strtolower(trim($parts[0]))] = trim($parts[1]);
                }
                return strlen($line);
            },
        ]);
        if ($body !== null) {
            curl_setopt($this->handle, CURLOPT_POSTFIELDS, $body);
        }
        $text = curl_exec($this->handle);
        if ($text === false) {
            $isTimeout = curl_errno($this->handle) === CURLE_OPERATION_TIMEDOUT;
            throw new ConnectionException($isTimeout ? 'TIMED_OUT' : 'NO_ANSWER', curl_error($this->handle));
        }
        $status = curl_getinfo($this->handle, CURLINFO_RESPONSE_CODE);
        return ['status' => $status, 'headers' => $received, 'body' => $text];
    }
}

/** A part of the API. Methods take the fields of body or query, then the options of the call. */
abstract class Resource
{
    private const LARGEST_PAGE = 100;
    private const MOST_STALE_PAGES = 10;

    /** @var Requests */
    protected $requests;

    public function __construct(Requests $requests)
    {
        $this->requests = $requests;
    }

    protected function read(string $path, array $query, array $options): array
    {
        return $this->requests->call('GET', $path, $query, null, $options);
    }

    protected function write(string $method, string $path, array $body, array $options)
    {
        return $this->requests->call($method, $path, [], $body, $options);
    }

    protected function post(string $path, array $body, array $options)
    {
        return $this->write('POST', $path, $body, $options);
    }

    /** For operations without a body. */
    protected function act(string $path, array $options)
    {
        return $this->requests->call('POST', $path, [], null, $options);
    }

    /** A key made here would be lost in a crash of the caller, and the money sent twice. */
    protected function moveMoney(string $path, array $body, array $options)
    {
        if (!is_string($options['idempotencyKey'] ?? null)) {
            throw new \InvalidArgumentException("{$path} requires an idempotencyKey from the caller, because it moves money");
        }
        return $this->post($path, $body, $options);
    }

    /** All pages, one thing after the other. Things made meanwhile push others onto the next page: each is given once. */
    protected function readAll(string $path, array $query, array $options): \Generator
    {
        $given = [];
        $stale = 0;
        for ($page = 1; ; $page++) {
            $before = count($given);
            $answer = $this->read($path, ['page' => $page, 'limit' => self::LARGEST_PAGE] + $query, $options);
            $pagination = $answer['pagination'];
            unset($answer['pagination']);
            $items = [];
            foreach ($answer as $value) {
                if (is_array($value)) {
                    $items = $value;
                    break;
                }
            }
            foreach ($items as $item) {
                // Outputs are named by transaction and index, invoices by their order.
                $id = $item['id'] ?? $item['orderId'] ?? ($item['txHash'] ?? '') . ':' . ($item['index'] ?? '');
                if (!isset($given[$id])) {
                    $given[$id] = true;
                    yield $item;
                }
            }
            if ($items === [] || $page * $pagination['limit'] >= $pagination['total']) {
                return;
            }
            $stale = count($given) === $before ? $stale + 1 : 0;
            if ($stale === self::MOST_STALE_PAGES) {
                throw new TilldException('UNREADABLE', 'the server returned the same page repeatedly');
            }
        }
    }
}

final class Payments extends Resource
{
    /** Asks for money. */
    public function create(array $body = [], array $options = []): ?array
    {
        return $this->post('/payment/create', $body, $options);
    }

    /** Changes the price or other terms while nobody has paid. */
    public function update(array $body, array $options = []): ?array
    {
        return $this->write('PATCH', '/payment/update', $body, $options);
    }

    /** The shop's own note on a payment, which payers never see. */
    public function note(array $query, array $options = []): array
    {
        return $this->read('/payment/note', $query, $options);
    }

    /** An empty note removes it. */
    public function writeNote(array $body, array $options = []): ?array
    {
        return $this->write('PATCH', '/payment/note', $body, $options);
    }

    /** In full; with a public key what the payer may see. */
    public function get(array $query = [], array $options = []): array
    {
        return $this->read('/payment/get', $query, $options);
    }

    public function list(array $query = [], array $options = []): array
    {
        return $this->read('/payment/list', $query, $options);
    }

    public function all(array $query = [], array $options = []): \Generator
    {
        return $this->readAll('/payment/list', $query, $options);
    }

    /** Refused with INVALID_STATE once money was seen. */
    public function cancel(array $body = [], array $options = []): ?array
    {
        return $this->post('/payment/cancel', $body, $options);
    }

    /** Accepts what came, or records that it was given back elsewhere. */
    public function resolve(array $body = [], array $options = []): ?array
    {
        return $this->post('/payment/resolve', $body, $options);
    }

    /** Where the receipt's page is, and whether it was mailed. */
    public function receipt(array $query = [], array $options = []): array
    {
        return $this->read('/payment/receipt', $query, $options);
    }

    /** Mails the receipt to the customer, once. */
    public function mailReceipt(array $body = [], array $options = []): ?array
    {
        return $this->post('/payment/receipt/mail', $body, $options);
    }

    public function volume(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/volume', $query, $options);
    }

    /** Every movement of money in a range; give a long range of a busy shop more `timeout`. */
    public function export(array $query = [], array $options = []): array
    {
        return $this->read('/payment/export', $query, $options);
    }

    /** The same as the text of a CSV file. What breaks off on its way is asked for again, never half. */
    public function exportCsv(array $query = [], array $options = []): string
    {
        return $this->requests->call('GET', '/payment/export', ['format' => 'csv'] + $query, null, $options, 'text');
    }

    /** The figures of a month: totals, the balance of each coin from beginning to end, and the rates. */
    public function monthReport(array $query = [], array $options = []): array
    {
        return $this->read('/payment/month-report', $query, $options);
    }

    /** The same as the text of a CSV file. */
    public function monthReportCsv(array $query = [], array $options = []): string
    {
        return $this->requests->call('GET', '/payment/month-report', ['format' => 'csv'] + $query, null, $options, 'text');
    }
}

final class Refunds extends Resource
{
    /** Pays back to an address, at once. */
    public function create(array $body, array $options): array
    {
        return $this->moveMoney('/payment/refund', $body, $options);
    }
}

final class RefundLinks extends Resource
{
    /** A link by which the payer takes his money back, to an address of his choice. */
    public function create(array $body, array $options): array
    {
        return $this->moveMoney('/payment/refund-link', $body, $options);
    }

    public function cancel(array $body = [], array $options = []): ?array
    {
        return $this->post('/payment/refund-link/cancel', $body, $options);
    }

    public function approve(array $body = [], array $options = []): ?array
    {
        return $this->post('/payment/refund-link/approve', $body, $options);
    }

    public function list(array $query = [], array $options = []): array
    {
        return $this->read('/payment/refund-links', $query, $options);
    }

    public function all(array $query = [], array $options = []): \Generator
    {
        return $this->readAll('/payment/refund-links', $query, $options);
    }
}

final class Customers extends Resource
{
    public function create(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/customer/create', $body, $options);
    }

    public function edit(array $body, array $options = []): ?array
    {
        return $this->write('PATCH', '/merchant/customer/edit', $body, $options);
    }

    /** Takes email, name and metadata out of everything stored; payments stay. */
    public function erase(array $body, array $options = []): ?array
    {
        return $this->write('DELETE', '/merchant/customer/erase', $body, $options);
    }

    /** By `customerId` or by `email`. */
    public function get(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/customer/get', $query, $options);
    }

    public function list(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/customer/list', $query, $options);
    }

    public function all(array $query = [], array $options = []): \Generator
    {
        return $this->readAll('/merchant/customer/list', $query, $options);
    }
}

final class Products extends Resource
{
    public function create(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/product/create', $body, $options);
    }

    public function edit(array $body, array $options = []): ?array
    {
        return $this->write('PATCH', '/merchant/product/edit', $body, $options);
    }

    public function delete(array $body, array $options = []): ?array
    {
        return $this->write('DELETE', '/merchant/product/delete', $body, $options);
    }

    public function list(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/product/list', $query, $options);
    }

    public function all(array $query = [], array $options = []): \Generator
    {
        return $this->readAll('/merchant/product/list', $query, $options);
    }
}

final class Prices extends Resource
{
    public function create(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/price/create', $body, $options);
    }

    public function edit(array $body, array $options = []): ?array
    {
        return $this->write('PATCH', '/merchant/price/edit', $body, $options);
    }

    public function delete(array $body, array $options = []): ?array
    {
        return $this->write('DELETE', '/merchant/price/delete', $body, $options);
    }

    public function list(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/price/list', $query, $options);
    }

    public function all(array $query = [], array $options = []): \Generator
    {
        return $this->readAll('/merchant/price/list', $query, $options);
    }
}

final class Links extends Resource
{
    public function create(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/link/create', $body, $options);
    }

    public function edit(array $body, array $options = []): ?array
    {
        return $this->write('PATCH', '/merchant/link/edit', $body, $options);
    }

    public function delete(array $body, array $options = []): ?array
    {
        return $this->write('DELETE', '/merchant/link/delete', $body, $options);
    }

    public function list(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/link/list', $query, $options);
    }

    public function all(array $query = [], array $options = []): \Generator
    {
        return $this->readAll('/merchant/link/list', $query, $options);
    }
}

final class Counters extends Resource
{
    public function create(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/counter/create', $body, $options);
    }

    public function edit(array $body, array $options = []): ?array
    {
        return $this->write('PATCH', '/merchant/counter/edit', $body, $options);
    }

    public function delete(array $body, array $options = []): ?array
    {
        return $this->write('DELETE', '/merchant/counter/delete', $body, $options);
    }

    public function list(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/counter/list', $query, $options);
    }

    public function connect(array $body, array $options = []): ?array
    {
        return $this->post('/merchant/counter/connect', $body, $options);
    }
}

final class Subscriptions extends Resource
{
    public function create(array $body, array $options = []): ?array
    {
        return $this->post('/merchant/subscription/create', $body, $options);
    }

    public function edit(array $body, array $options = []): ?array
    {
        return $this->write('PATCH', '/merchant/subscription/edit', $body, $options);
    }

    public function pause(array $body, array $options = []): ?array
    {
        return $this->post('/merchant/subscription/pause', $body, $options);
    }

    public function resume(array $body, array $options = []): ?array
    {
        return $this->post('/merchant/subscription/resume', $body, $options);
    }

    public function cancel(array $body, array $options = []): ?array
    {
        return $this->post('/merchant/subscription/cancel', $body, $options);
    }

    /** Credit that the next invoice uses up. */
    public function credit(array $body, array $options = []): ?array
    {
        return $this->post('/merchant/subscription/credit', $body, $options);
    }

    /** The payer's page gets another address, `portalUrl`; those of before answer 404. */
    public function rotatePortal(array $body, array $options = []): ?array
    {
        return $this->post('/merchant/subscription/portal/rotate', $body, $options);
    }

    public function get(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/subscription/get', $query, $options);
    }

    public function list(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/subscription/list', $query, $options);
    }

    public function all(array $query = [], array $options = []): \Generator
    {
        return $this->readAll('/merchant/subscription/list', $query, $options);
    }

    public function invoices(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/subscription/invoices', $query, $options);
    }

    public function allInvoices(array $query = [], array $options = []): \Generator
    {
        return $this->readAll('/merchant/subscription/invoices', $query, $options);
    }

    /** Revenue, churn, recurring revenue and coming invoices. */
    public function summary(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/subscription/summary', $query, $options);
    }
}

final class Wallet extends Resource
{
    public function balances(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/wallet/balances', $query, $options);
    }

    public function addresses(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/wallet/addresses', $query, $options);
    }

    public function send(array $body, array $options): array
    {
        return $this->moveMoney('/merchant/wallet/send', $body, $options);
    }

    public function estimateFee(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/wallet/estimate-fee', $body, $options);
    }

    public function sendStatus(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/wallet/send-status', $query, $options);
    }

    /** Raises the fee of a send that waits. */
    public function bump(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/wallet/send/bump', $body, $options);
    }

    /** Spends the coins of a send that waits back to the wallet. */
    public function cancel(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/wallet/send/cancel', $body, $options);
    }

    /** Adds the signatures of a PSBT to a send from a watched account. */
    public function submitPsbt(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/wallet/psbt/submit', $body, $options);
    }

    public function transactions(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/wallet/transactions', $query, $options);
    }

    public function allTransactions(array $query = [], array $options = []): \Generator
    {
        return $this->readAll('/merchant/wallet/transactions', $query, $options);
    }

    /** What each coin holds and where, what is promised, the use of the limits per day, and 30 days in and out. */
    public function treasury(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/wallet/treasury', $query, $options);
    }

    /** Labels as BIP 329 has them. */
    public function labels(array $query, array $options = []): array
    {
        return $this->read('/merchant/wallet/labels', $query, $options);
    }

    public function importLabels(array $body, array $options = []): ?array
    {
        return $this->post('/merchant/wallet/labels', $body, $options);
    }

    public function outputs(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/wallet/outputs', $query, $options);
    }

    public function allOutputs(array $query = [], array $options = []): \Generator
    {
        return $this->readAll('/merchant/wallet/outputs', $query, $options);
    }

    public function freeze(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/wallet/outputs/freeze', $body, $options);
    }

    public function unfreeze(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/wallet/outputs/unfreeze', $body, $options);
    }

    public function freezeState(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/wallet/freeze', $query, $options);
    }

    /** Stops everything that signs for this wallet, in an emergency. The owner unfreezes it in the dashboard. */
    public function freezeWallet(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/wallet/freeze', $body, $options);
    }

    public function limits(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/wallet/limits', $query, $options);
    }

    /** With a user token. A higher limit takes effect after a delay. */
    public function editLimits(array $body, array $options = []): ?array
    {
        return $this->write('PATCH', '/merchant/wallet/limits', $body, $options);
    }

    /** Drops changes that have not taken effect. */
    public function dropPendingLimits(array $body = [], array $options = []): ?array
    {
        return $this->write('DELETE', '/merchant/wallet/limits/pending', $body, $options);
    }

    /** Forwards to cold storage. */
    public function forwards(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/wallet/forward', $query, $options);
    }

    /** With a user token. A new destination takes effect after a delay. */
    public function editForward(array $body, array $options = []): ?array
    {
        return $this->write('PATCH', '/merchant/wallet/forward', $body, $options);
    }

    public function endForward(array $body, array $options = []): ?array
    {
        return $this->write('DELETE', '/merchant/wallet/forward', $body, $options);
    }

    /** Drops a destination that has not taken effect. */
    public function dropPendingForward(array $body, array $options = []): ?array
    {
        return $this->write('DELETE', '/merchant/wallet/forward/pending', $body, $options);
    }

    /** Accounts of other wallets that new orders are paid to. */
    public function watched(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/wallet/watch', $query, $options);
    }

    /** With a user token. Shows the first addresses of an account; it has no effect before confirmWatch. */
    public function watch(array $body, array $options = []): ?array
    {
        return $this->write('POST', '/merchant/wallet/watch', $body, $options);
    }

    public function confirmWatch(array $body, array $options = []): ?array
    {
        return $this->write('POST', '/merchant/wallet/watch/confirm', $body, $options);
    }

    /** Returns to the till's own account for new orders. */
    public function endWatch(array $body, array $options = []): ?array
    {
        return $this->write('DELETE', '/merchant/wallet/watch', $body, $options);
    }

    /** Drops an account that has not taken effect. */
    public function dropPendingWatch(array $body, array $options = []): ?array
    {
        return $this->write('DELETE', '/merchant/wallet/watch/pending', $body, $options);
    }

    /** Sends above a limit, which wait for an approval. */
    public function approvals(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/wallet/send/approvals', $query, $options);
    }

    /** With the token of an approver; keys never approve. */
    public function approve(array $body, array $options = []): ?array
    {
        return $this->post('/merchant/wallet/send/approve', $body, $options);
    }

    public function reject(array $body, array $options = []): ?array
    {
        return $this->post('/merchant/wallet/send/reject', $body, $options);
    }

    /** Gathers many small outputs into one. */
    public function consolidate(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/wallet/consolidate', $body, $options);
    }
}

final class Webhooks extends Resource
{
    public function logs(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/webhook-logs', $query, $options);
    }

    public function allLogs(array $query = [], array $options = []): \Generator
    {
        return $this->readAll('/merchant/webhook-logs', $query, $options);
    }

    /** What became of each event at each endpoint. */
    public function deliveries(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/webhook/deliveries', $query, $options);
    }

    public function allDeliveries(array $query = [], array $options = []): \Generator
    {
        return $this->readAll('/merchant/webhook/deliveries', $query, $options);
    }

    public function test(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/webhook/test', $body, $options);
    }

    public function redeliver(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/webhook/redeliver', $body, $options);
    }

    public function secret(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/webhook/secret', $query, $options);
    }

    public function rotateSecret(array $options = []): ?array
    {
        return $this->act('/merchant/webhook/rotate-secret', $options);
    }
}

final class Endpoints extends Resource
{
    public function create(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/webhook/endpoint/create', $body, $options);
    }

    public function edit(array $body, array $options = []): ?array
    {
        return $this->write('PATCH', '/merchant/webhook/endpoint/edit', $body, $options);
    }

    public function delete(array $body, array $options = []): ?array
    {
        return $this->write('DELETE', '/merchant/webhook/endpoint/delete', $body, $options);
    }

    public function list(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/webhook/endpoint/list', $query, $options);
    }

    public function secret(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/webhook/endpoint/secret', $query, $options);
    }

    public function rotateSecret(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/webhook/endpoint/rotate-secret', $body, $options);
    }
}

final class Events extends Resource
{
    public function list(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/events', $query, $options);
    }

    /**
     * Every event after a cursor up to the present, oldest first: for a job that runs now and then. Keep `seq` once
     * an event is handled.
     */
    public function since(int $after, array $query = [], array $options = []): \Generator
    {
        do {
            $answer = $this->read('/merchant/events', ['after' => $after, 'limit' => 100] + $query, $options);
            foreach ($answer['events'] as $event) {
                yield $event;
            }
            $after = $answer['nextAfter'];
        } while ($answer['events'] !== []);
    }

    /**
     * Every event after a cursor and those to come. While the daemon is away it is asked again and again; what cannot
     * become better, such as a key that was revoked, is thrown.
     *
     * @param array{wait?: int, isOver?: callable, onError?: callable, timeout?: float, merchantId?: string} $options
     *   wait: seconds that one request waits for an event, 1 to 30 (30); isOver: () -> bool, asked between requests, ends
     *   it; onError: hears why the daemon could not be asked just now
     */
    public function follow(int $after, array $query = [], array $options = []): \Generator
    {
        $wait = (int) ($options['wait'] ?? 30);
        if ($wait < 1 || $wait > 30) {
            throw new \InvalidArgumentException('wait must be 1 to 30 seconds');
        }
        $isOver = $options['isOver'] ?? static function (): bool {
            return false;
        };
        $call = ['retries' => 0, 'timeout' => $wait + (float) ($options['timeout'] ?? 30)] + $options;
        $failures = 0;
        while (!$isOver()) {
            try {
                $answer = $this->read('/merchant/events', ['after' => $after, 'wait' => $wait, 'limit' => 100] + $query, $call);
            } catch (TilldException $error) {
                if (!$error->isRetryable()) {
                    throw $error;
                }
                if (isset($options['onError'])) {
                    ($options['onError'])($error);
                }
                $this->requests->pause($error->retryAfter ?? min(30.0, Requests::backoff($failures)));
                $failures++;
                continue;
            }
            $failures = 0;
            foreach ($answer['events'] as $event) {
                yield $event;
            }
            $after = $answer['nextAfter'];
        }
    }
}

final class Merchants extends Resource
{
    public function create(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/create', $body, $options);
    }

    public function list(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/list', $query, $options);
    }

    public function edit(array $body, array $options = []): ?array
    {
        return $this->write('PATCH', '/merchant/edit', $body, $options);
    }

    /** Switches between simulated and real coins. */
    public function sandbox(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/sandbox', $body, $options);
    }

    /** What should be done before real money comes. */
    public function setup(array $query = [], array $options = []): ?array
    {
        return $this->read('/merchant/setup', $query, $options);
    }

    /** Which mails the signed-in user gets about a shop. */
    public function notices(array $query = [], array $options = []): ?array
    {
        return $this->read('/merchant/notices', $query, $options);
    }

    public function editNotices(array $body, array $options = []): ?array
    {
        return $this->write('PATCH', '/merchant/notices', $body, $options);
    }

    /** Everything that waits for a person of the shop. */
    public function attention(array $query = [], array $options = []): ?array
    {
        return $this->read('/merchant/attention', $query, $options);
    }

    /** Takes an item off that list until its state changes. */
    public function dismissAttention(array $body, array $options = []): ?array
    {
        return $this->post('/merchant/attention/dismiss', $body, $options);
    }

    public function verifyDomain(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/verify-domain', $body, $options);
    }

    public function checkDomain(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/verify-domain/check', $body, $options);
    }
}

final class Keys extends Resource
{
    public function list(array $query = [], array $options = []): array
    {
        return $this->read('/merchant/keys', $query, $options);
    }

    public function create(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/keys/create', $body, $options);
    }

    public function delete(array $body, array $options = []): ?array
    {
        return $this->write('DELETE', '/merchant/keys/delete', $body, $options);
    }

    /** A new public and secret key. */
    public function regenerate(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/keys/regenerate', $body, $options);
    }

    /** Keys and members count again after a restore. */
    public function confirm(array $body = [], array $options = []): ?array
    {
        return $this->post('/merchant/keys/confirm', $body, $options);
    }
}

final class Connect extends Resource
{
    public function request(array $query = [], array $options = []): array
    {
        return $this->read('/connect/request', $query, $options);
    }

    public function approve(array $body = [], array $options = []): ?array
    {
        return $this->post('/connect/approve', $body, $options);
    }

    /** Exchanges the code that the owner came back with for a restricted key. */
    public function token(array $body = [], array $options = []): ?array
    {
        return $this->post('/connect/token', $body, $options);
    }
}

final class Rates extends Resource
{
    public function get(array $query = [], array $options = []): array
    {
        return $this->read('/rates', $query, $options);
    }
}

final class Sandbox extends Resource
{
    /** Plays the payer with simulated coins. */
    public function simulate(array $body = [], array $options = []): ?array
    {
        return $this->post('/sandbox/payment/simulate', $body, $options);
    }
}

final class Auth extends Resource
{
    public function register(array $body = [], array $options = []): ?array
    {
        return $this->post('/auth/register', $body, $options);
    }

    public function login(array $body = [], array $options = []): ?array
    {
        return $this->post('/auth/login', $body, $options);
    }

    public function me(array $query = [], array $options = []): array
    {
        return $this->read('/auth/me', $query, $options);
    }

    public function verifyEmail(array $body = [], array $options = []): ?array
    {
        return $this->post('/auth/verify-email', $body, $options);
    }

    public function resendVerification(array $options = []): ?array
    {
        return $this->act('/auth/resend-verification', $options);
    }

    public function forgotPassword(array $body = [], array $options = []): ?array
    {
        return $this->post('/auth/forgot-password', $body, $options);
    }

    public function resetPassword(array $body = [], array $options = []): ?array
    {
        return $this->post('/auth/reset-password', $body, $options);
    }

    public function changePassword(array $body = [], array $options = []): ?array
    {
        return $this->post('/auth/change-password', $body, $options);
    }

    /** The second factor. */
    public function totp(array $query = [], array $options = []): array
    {
        return $this->read('/auth/totp', $query, $options);
    }

    public function totpSetup(array $body = [], array $options = []): ?array
    {
        return $this->post('/auth/totp/setup', $body, $options);
    }

    public function totpEnable(array $body = [], array $options = []): ?array
    {
        return $this->post('/auth/totp/enable', $body, $options);
    }

    public function totpDisable(array $body = [], array $options = []): ?array
    {
        return $this->post('/auth/totp/disable', $body, $options);
    }
}

final class Service extends Resource
{
    public function healthz(array $query = [], array $options = []): array
    {
        return $this->read('/healthz', $query, $options);
    }

    /** What the daemon can do now; answers also while it is not ready. */
    public function readyz(array $query = [], array $options = []): array
    {
        return $this->read('/readyz', $query, $options);
    }

    public function metrics(array $options = []): string
    {
        return $this->requests->call('GET', '/metrics', [], null, $options, 'text');
    }

    public function openapi(array $options = []): array
    {
        return $this->requests->call('GET', '/openapi.json', [], null, $options, 'json');
    }

    /** The reference to read, as HTML. */
    public function docs(array $options = []): string
    {
        return $this->requests->call('GET', '/docs', [], null, $options, 'text');
    }
}
