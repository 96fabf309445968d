<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\ConflictException;
use Tilld\InvalidRequestException;
use Tilld\Tilld;

defined('ABSPATH') || exit;

/** Asks tilld for the money of an order. */
final class Checkout
{
    private const MAX_LINES = 100;
    private const MAX_NAME = 255;
    private const MAX_LABEL = 100;
    private const MIN_LIFETIME = 5;
    private const MAX_LIFETIME = 10080;

    /**
     * The address that the customer goes on to.
     *
     * @throws OrderHasMoney when what is in the cart was paid by another order
     */
    public static function urlFor(int $orderId): string
    {
        return CartOrder::holdAlone($orderId, static function () use ($orderId): string {
            return Lock::hold("order_{$orderId}", static function () use ($orderId): string {
                return self::pageFor(Orders::fresh($orderId));
            });
        });
    }

    private static function pageFor(\WC_Order $order): string
    {
        $payment = OrderPayments::current($order);
        if ($payment !== null) {
            OrderState::apply($order, $payment);
            $order->save();
            $state = Tilld::shopState($payment);
            if (in_array($state, ['seen', 'paid', 'late', 'refunded'], true)) {
                return $order->get_checkout_order_received_url();
            }
            if ($state === 'short') {
                return $payment['checkoutUrl'];
            }
            $payment = $state === 'waiting' ? self::brought($order, $payment) : null;
        }
        $payment = $payment ?? self::create($order);
        self::keep($order, $payment);
        return $payment['checkoutUrl'];
    }

    /** The payment at the order's present price; null where it can no longer be changed and another is needed. */
    private static function brought(\WC_Order $order, array $payment): ?array
    {
        $terms = self::terms($order);
        try {
            if (self::coinAsked($payment) !== Methods::coinOf($order)) {
                Connection::client()->payments->cancel(['paymentId' => $payment['id']]);
                return null;
            }
            return Confirmations::update(['paymentId' => $payment['id']] + $terms);
        } catch (ConflictException $error) {
            $now = Orders::lead(Connection::client()->payments->get(['paymentId' => $payment['id']]));
            if (Tilld::shopState($now) === 'waiting') {
                // Money came and went again, so that tilld changes nothing of it: at another price it gives way to a new payment.
                $now = self::isUpToDate($order, $now) ? $now : OrderPayments::close($now);
            }
            Orders::adopt($order, $now);
            OrderState::apply($order, $now);
            if (Tilld::shopState($now) === 'waiting') {
                return $now;
            }
            if (Tilld::shopState($now) === 'lost') {
                return null;
            }
            throw $error;
        }
    }

    private static function create(\WC_Order $order): array
    {
        $attempt = (int) $order->get_meta(Orders::ASKED) + 1;
        $order->update_meta_data(Orders::ASKED, (string) $attempt);
        $order->save();
        $coin = Methods::coinOf($order);
        $body = self::terms($order) + [
            'orderId' => Orders::name($order, Orders::round($order)),
            'customer' => Privacy::customerOf($order),
            'metadata' => ['woocommerce' => ['site' => Connection::site(), 'order' => $order->get_id()] + ($coin === null ? [] : ['coin' => $coin])],
            'locale' => self::locale(),
        ] + ($coin === null ? [] : ['allowedCryptos' => [$coin]]);
        $key = implode('-', ['wc', Connection::site(), $order->get_id(), $body['amount'], $body['currency'], $attempt]);
        try {
            return Confirmations::create($body, $key);
        } catch (InvalidRequestException $error) {
            $existing = $error->details[0]['existingId'] ?? null;
            if ($error->getCode() !== 'DUPLICATE_ENTRY' || $existing === null) {
                throw $error;
            }
            return self::adopt($order, $existing);
        }
    }

    /** An open payment of this order that the shop had lost, by a backup put back for example. */
    private static function adopt(\WC_Order $order, string $paymentId): array
    {
        $payment = Connection::client()->payments->get(['paymentId' => $paymentId]);
        if (Orders::idIn($payment) !== $order->get_id()) {
            // phpcs:ignore WordPress.Security.EscapeOutput.ExceptionNotEscaped -- goes to the log
            throw new \RuntimeException("order {$order->get_id()}: tilld has a payment of this name that is not of this shop");
        }
        Orders::adopt($order, $payment);
        OrderState::apply($order, $payment);
        if (Tilld::shopState($payment) === 'lost') {
            // tilld takes no other payment of the name of one whose money was double spent.
            $order->update_meta_data(Orders::ROUND, (string) (Orders::round($order) + 1));
            return self::create($order);
        }
        return Tilld::shopState($payment) === 'waiting' ? (self::brought($order, $payment) ?? self::create($order)) : $payment;
    }

    /** Whether a payment asks for what the order costs now, in the coin that was chosen. */
    public static function isUpToDate(\WC_Order $order, array $payment): bool
    {
        return Amounts::fit($order, $payment) && self::coinAsked($payment) === Methods::coinOf($order);
    }

    /** The only coin that a payment was made for; null: any. It cannot be changed. */
    private static function coinAsked(array $payment): ?string
    {
        return $payment['metadata']['woocommerce']['coin'] ?? null;
    }

    private static function keep(\WC_Order $order, array $payment): void
    {
        Orders::adopt($order, $payment);
        OrderState::apply($order, $payment);
        $order->save();
    }

    /** What an order costs and how it is shown: of a new payment and of a changed one. */
    private static function terms(\WC_Order $order): array
    {
        $lifetime = self::lifetime();
        $label = self::label($order);
        return [
            'amount' => Amounts::text($order->get_total(), $order->get_currency()),
            'currency' => $order->get_currency(),
            'lines' => self::lines($order),
            'successUrl' => WayBack::url($order),
            'returnUrl' => WayBack::url($order),
        ] + ($label === '' ? [] : ['orderLabel' => $label]) + ($lifetime === null ? [] : ['lifetimeMinutes' => $lifetime]);
    }

    /** The order's number as far as it can be seen: a plugin may write anything into it, and tilld refuses what nobody sees. */
    private static function label(\WC_Order $order): string
    {
        $spaced = (string) preg_replace('/[\p{Cc}\p{Z}]+/u', ' ', (string) $order->get_order_number());
        $seen = (string) preg_replace('/[\p{C}\x{34F}\x{115F}\x{1160}\x{17B4}\x{17B5}\x{2800}\x{3164}\x{FFA0}]/u', '', $spaced);
        return trim(mb_substr(trim($seen), 0, self::MAX_LABEL));
    }

    /** As long as WooCommerce holds the stock for an unpaid order. */
    private static function lifetime(): ?int
    {
        $minutes = (int) get_option('woocommerce_hold_stock_minutes');
        if ($minutes < 1 || get_option('woocommerce_manage_stock') !== 'yes') {
            return null;
        }
        return max(self::MIN_LIFETIME, min(self::MAX_LIFETIME, $minutes));
    }

    /** What is shown to the payer; none where they would come to more than the price, as with a discount of the whole order. */
    private static function lines(\WC_Order $order): array
    {
        $lines = [];
        $sum = 0;
        $currency = $order->get_currency();
        foreach ($order->get_items(['line_item', 'shipping', 'fee']) as $item) {
            // Rounded here, by the currency: WooCommerce would do it by the decimals that the shop shows.
            $amount = $order->get_line_total($item, true, false);
            if ((float) $amount < 0) {
                return [];
            }
            $quantity = $item->get_quantity();
            $isWhole = (float) (int) $quantity === (float) $quantity && $quantity >= 1;
            $name = wp_strip_all_tags($item->get_name());
            $lines[] = [
                'name' => mb_substr($isWhole ? $name : "{$quantity} × {$name}", 0, self::MAX_NAME) ?: '-',
                'quantity' => $isWhole ? (int) $quantity : 1,
                'amount' => Amounts::text($amount, $currency),
            ];
            $sum += Amounts::minor($amount, $currency);
        }
        $isTooMuch = $sum > Amounts::minor($order->get_total(), $currency);
        return $isTooMuch || count($lines) > self::MAX_LINES ? [] : $lines;
    }

    private static function locale(): string
    {
        return implode('-', array_slice(explode('_', determine_locale()), 0, 2));
    }
}
