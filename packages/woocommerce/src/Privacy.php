<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\NotFoundException;

defined('ABSPATH') || exit;

/** What tilld is told about customers, and their rights to a copy of it and to its erasure. */
final class Privacy
{
    /** Orders of one step: each asks tilld once. */
    private const ORDERS = 10;

    public static function hook(): void
    {
        add_action('admin_init', [self::class, 'addPolicy']);
        add_filter('wp_privacy_personal_data_exporters', [self::class, 'addExporter']);
        add_filter('wp_privacy_personal_data_erasers', [self::class, 'addEraser']);
    }

    /** Fields for the form of the gateway. */
    public static function fields(): array
    {
        return [
            'send_email' => [
                'title' => __('E-mail of customers', 'tilld-for-woocommerce'),
                'type' => 'checkbox',
                'label' => __('Give the e-mail address of customers to tilld', 'tilld-for-woocommerce'),
                'description' => __('tilld then lists payments by customer and can mail its own receipt. WooCommerce sends its mails and refund links without this.', 'tilld-for-woocommerce'),
                'default' => 'no',
            ],
            'remove_order_data' => [
                'title' => __('When the plugin is deleted', 'tilld-for-woocommerce'),
                'type' => 'checkbox',
                'label' => __('Also remove what orders know of their payments', 'tilld-for-woocommerce'),
                'description' => __('Your books may need it. Orders themselves always stay.', 'tilld-for-woocommerce'),
                'default' => 'no',
            ],
        ];
    }

    /** Who pays, for tilld: nobody in particular, unless the shopkeeper chose otherwise. */
    public static function customerOf(\WC_Order $order): array
    {
        $email = (string) $order->get_billing_email();
        return Gateway::setting('send_email', 'no') === 'yes' && is_email($email) ? ['email' => $email] : [];
    }

    public static function addPolicy(): void
    {
        $paragraphs = [
            __('When you choose to pay with coins, we send the order number, the amount, the names and prices of the articles and your language to our payment server (tilld), which we run ourselves. It shows you the page on which you pay.', 'tilld-for-woocommerce'),
            Gateway::setting('send_email', 'no') === 'yes'
                ? __('We also send your e-mail address, so that the payment server can mail you a receipt.', 'tilld-for-woocommerce')
                : __('We do not send your name, addresses or e-mail address.', 'tilld-for-woocommerce'),
            __('Payments themselves are transactions in public networks. Anybody can see their amounts and addresses there, for ever, and nobody can erase them. To pay a refund, the payment server asks you for an address.', 'tilld-for-woocommerce'),
        ];
        wp_add_privacy_policy_content('tilld for WooCommerce', '<p>' . implode('</p><p>', array_map('esc_html', $paragraphs)) . '</p>');
    }

    public static function addExporter(array $exporters): array
    {
        $exporters['tilld-for-woocommerce'] = ['exporter_friendly_name' => __('Payments by tilld', 'tilld-for-woocommerce'), 'callback' => [self::class, 'export']];
        return $exporters;
    }

    public static function addEraser(array $erasers): array
    {
        $erasers['tilld-for-woocommerce'] = ['eraser_friendly_name' => __('Customer data in tilld', 'tilld-for-woocommerce'), 'callback' => [self::class, 'erase']];
        return $erasers;
    }

    /**
     * What is known of a person: the customer in tilld, and payments by their orders.
     *
     * @return array{data: array, done: bool}|\WP_Error an error where tilld cannot be asked: half a copy is none
     */
    public static function export(string $email, int $page = 1)
    {
        if (Connection::get() === null) {
            return ['data' => [], 'done' => true];
        }
        try {
            $orders = self::ordersOf($email, $page);
            $data = $page === 1 ? self::exportCustomer($email) : [];
            foreach ($orders as $order) {
                $paymentId = (string) $order->get_meta(Orders::PAYMENT);
                if ($paymentId !== '') {
                    $data[] = self::exportPayment($order, $paymentId);
                }
            }
            return ['data' => $data, 'done' => count($orders) < self::ORDERS];
        } catch (\Throwable $error) {
            Log::error('personal data could not be exported', $error);
            return new \WP_Error('tilld', __('tilld could not be asked for the data of this person. Please try again.', 'tilld-for-woocommerce'));
        }
    }

    /**
     * The customer in tilld loses e-mail address and metadata; payments stay in its books. By the address, so that it does
     * not matter whether WooCommerce has erased the orders before.
     *
     * @return array{items_removed: bool, items_retained: bool, messages: string[], done: bool}
     */
    public static function erase(string $email, int $page = 1): array
    {
        $result = ['items_removed' => false, 'items_retained' => false, 'messages' => [], 'done' => true];
        if (Connection::get() === null) {
            return $result;
        }
        try {
            $customer = self::customer($email);
            if ($customer === null) {
                return $result;
            }
            Connection::client()->customers->erase(['customerId' => $customer['id']]);
            $text = __('The customer was erased in tilld. Payments stay in its books, without the person.', 'tilld-for-woocommerce');
            return ['items_removed' => true, 'messages' => [$text]] + $result;
        } catch (\Throwable $error) {
            Log::error('personal data could not be erased', $error);
            $text = __('tilld could not erase the data of this person. Please try again.', 'tilld-for-woocommerce');
            return ['items_retained' => true, 'messages' => [$text]] + $result;
        }
    }

    private static function exportCustomer(string $email): array
    {
        $customer = self::customer($email);
        return $customer === null ? [] : [self::item('customer', $customer['id'], [
            __('Customer in tilld', 'tilld-for-woocommerce') => $customer['id'],
            __('E-mail address', 'tilld-for-woocommerce') => $customer['email'],
            __('Since', 'tilld-for-woocommerce') => $customer['createdAt'],
        ])];
    }

    private static function exportPayment(\WC_Order $order, string $paymentId): array
    {
        try {
            $payment = Connection::client()->payments->get(['paymentId' => $paymentId]);
        } catch (NotFoundException $error) {
            // Of an earlier connection.
            $payment = ['status' => '', 'amount' => '', 'currency' => '', 'options' => [], 'receivedFiat' => null, 'transactions' => []];
        }
        return self::item('payment', $paymentId, [
            __('Order', 'tilld-for-woocommerce') => $order->get_order_number(),
            __('Payment in tilld', 'tilld-for-woocommerce') => $paymentId,
            __('State', 'tilld-for-woocommerce') => $payment['status'],
            __('Amount', 'tilld-for-woocommerce') => trim("{$payment['amount']} {$payment['currency']}"),
            __('Received', 'tilld-for-woocommerce') => Amounts::received($payment),
            __('Transactions', 'tilld-for-woocommerce') => implode(', ', array_unique(array_column($payment['transactions'], 'txid'))),
        ]);
    }

    private static function item(string $kind, string $id, array $fields): array
    {
        $data = [];
        foreach ($fields as $name => $value) {
            if ((string) $value !== '') {
                $data[] = ['name' => $name, 'value' => (string) $value];
            }
        }
        return ['group_id' => 'tilld', 'group_label' => __('Payments by tilld', 'tilld-for-woocommerce'), 'item_id' => "tilld-{$kind}-{$id}", 'data' => $data];
    }

    /** @return \WC_Order[] of the account and of the guest with this address */
    private static function ordersOf(string $email, int $page): array
    {
        $user = get_user_by('email', $email);
        $customers = $user instanceof \WP_User ? [$email, (int) $user->ID] : [$email];
        return wc_get_orders(['type' => 'shop_order', 'limit' => self::ORDERS, 'page' => $page, 'customer' => $customers]);
    }

    private static function customer(string $email): ?array
    {
        try {
            return Connection::client()->customers->get(['email' => $email]);
        } catch (NotFoundException $error) {
            return null;
        }
    }
}
