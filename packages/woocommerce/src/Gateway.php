<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** The payment method of WooCommerce: for all coins, with the settings of the plugin. */
class Gateway extends \WC_Payment_Gateway
{
    public function __construct()
    {
        $this->init(GATEWAY, 'tilld', 'coins');
        $this->method_description = __('Bitcoin, Litecoin, Ethereum and Solana, by your own nodes.', 'tilld-for-woocommerce');
    }

    /** @param string $icon name of a file in assets */
    protected function init(string $id, string $name, string $icon): void
    {
        $this->id = $id;
        $this->method_title = $name;
        $this->icon = plugins_url("assets/{$icon}.svg", FILE);
        $this->has_fields = false;
        $this->supports = ['products', 'refunds'];
        $this->init_form_fields();
        $this->init_settings();
        $this->title = $this->get_option('title');
        $this->description = $this->get_option('description');
        add_action('woocommerce_update_options_payment_gateways_' . $this->id, [$this, 'process_admin_options']);
    }

    /** @return string what was saved, without building the whole gateway */
    public static function setting(string $name, string $default = ''): string
    {
        $settings = get_option('woocommerce_' . GATEWAY . '_settings');
        return is_array($settings) && isset($settings[$name]) ? (string) $settings[$name] : $default;
    }

    public static function tilldUrl(): string
    {
        return Addresses::complete(self::setting('url')) ?? '';
    }

    public function init_form_fields()
    {
        $this->form_fields = [
            'enabled' => [
                'title' => __('Offer it', 'tilld-for-woocommerce'),
                'type' => 'checkbox',
                'label' => __('Customers can pay with tilld', 'tilld-for-woocommerce'),
                'default' => 'no',
            ],
            'title' => [
                'title' => __('Title', 'tilld-for-woocommerce'),
                'type' => 'text',
                'default' => __('Bitcoin and other coins', 'tilld-for-woocommerce'),
            ],
            'description' => [
                'title' => __('Description', 'tilld-for-woocommerce'),
                'type' => 'textarea',
                'default' => __('Pay with Bitcoin, Litecoin, Ethereum or Solana.', 'tilld-for-woocommerce'),
            ],
            'url' => [
                'title' => __('Address of tilld', 'tilld-for-woocommerce'),
                'type' => 'text',
                'placeholder' => 'https://pay.example.com',
                'description' => __('Save it, then connect. No key has to be copied.', 'tilld-for-woocommerce'),
                'default' => '',
            ],
            'test_mode' => [
                'title' => __('Test mode', 'tilld-for-woocommerce'),
                'type' => 'checkbox',
                'label' => __('Simulated money of tilld pays orders: for trying things out only', 'tilld-for-woocommerce'),
                'default' => 'no',
            ],
            'refund_mail' => [
                'title' => __('Refunds', 'tilld-for-woocommerce'),
                'type' => 'checkbox',
                'label' => __('Mail the refund link to the customer (as a note to him)', 'tilld-for-woocommerce'),
                'default' => 'yes',
            ],
            'refund_fee' => [
                'title' => __('Network fee of refunds', 'tilld-for-woocommerce'),
                'type' => 'checkbox',
                'label' => __('Take it out of the refund; otherwise you pay it on top', 'tilld-for-woocommerce'),
                'default' => 'no',
            ],
        ] + PaymentSettings::fields() + Privacy::fields();
    }

    public function process_admin_options()
    {
        $isSaved = parent::process_admin_options();
        // WooCommerce collects what was wrong with a field, and leaves showing it to the gateway.
        array_map(['WC_Admin_Settings', 'add_error'], $this->get_errors());
        if (Methods::isPerCoin() && self::setting('coins_used') !== 'yes') {
            update_option('woocommerce_' . GATEWAY . '_settings', ['coins_used' => 'yes'] + (array) get_option('woocommerce_' . GATEWAY . '_settings'));
        }
        return $isSaved;
    }

    public function generate_confirmations_html($key, $data)
    {
        return $this->generate_text_html($key, ['type' => 'number'] + $data);
    }

    /** @throws \Exception shown above the settings; the value stays as it was */
    public function validate_confirmations_field($key, $value)
    {
        $text = trim((string) $value);
        if ($text !== '' && PaymentSettings::confirmationsFrom($text) === null) {
            /* translators: %d: number */
            throw new \Exception(esc_html(sprintf(__('Confirmations are a whole number from 1 to %d, or nothing.', 'tilld-for-woocommerce'), PaymentSettings::MAX_CONFIRMATIONS)));
        }
        return $text;
    }

    /** @throws \Exception shown above the settings; the value stays as it was */
    public function validate_url_field($key, $value)
    {
        $typed = trim((string) $value);
        $url = $typed === '' ? '' : Addresses::complete($typed);
        if ($url === null) {
            /* translators: %s: what was typed */
            $text = sprintf(__('This is not the address of a tilld: %s', 'tilld-for-woocommerce'), $typed);
            // phpcs:ignore WordPress.Security.EscapeOutput.ExceptionNotEscaped -- WooCommerce escapes it where it shows it
            throw new \Exception($text);
        }
        return $url;
    }

    public function is_available()
    {
        return parent::is_available() && $this->isOffered() && Connection::get() !== null;
    }

    /** Whether customers see this method, once the shop is connected. */
    protected function isOffered(): bool
    {
        return !Methods::isPerCoin();
    }

    public function needs_setup()
    {
        return Connection::get() === null;
    }

    public function admin_options()
    {
        parent::admin_options();
        ConnectionPanel::show();
    }

    public function process_payment($order_id)
    {
        try {
            return ['result' => 'success', 'redirect' => PayPage::urlFor((int) $order_id)];
        } catch (OrderHasMoney $error) {
            wc_add_notice($error->getMessage(), 'error');
            return ['result' => 'failure', 'redirect' => ''];
        } catch (\Throwable $error) {
            Log::error("no payment could be made for order {$order_id}", $error);
            wc_add_notice(__('Paying with coins is not possible just now. Please try again in a moment, or choose another way.', 'tilld-for-woocommerce'), 'error');
            return ['result' => 'failure', 'redirect' => ''];
        }
    }

    /** In the dashboard of tilld: for the order screen. */
    public function get_transaction_url($order)
    {
        $this->view_transaction_url = Dashboard::paymentUrl('%s');
        return parent::get_transaction_url($order);
    }

    public function can_refund_order($order)
    {
        $isPaid = in_array((string) ($order ? $order->get_meta(Orders::STATE) : ''), ['paid', 'other-amount', 'refunded'], true);
        return $isPaid && parent::can_refund_order($order);
    }

    public function process_refund($order_id, $amount = null, $reason = '')
    {
        $order = wc_get_order($order_id);
        if (!$order instanceof \WC_Order || $amount === null || (float) $amount <= 0) {
            return new \WP_Error('tilld', __('There is nothing to refund.', 'tilld-for-woocommerce'));
        }
        try {
            Refunds::make($order, $amount, (string) $reason);
            return true;
        } catch (\Throwable $error) {
            Log::error("no refund could be made for order {$order_id}", $error);
            /* translators: %s: reason */
            return new \WP_Error('tilld', sprintf(__('tilld made no refund: %s', 'tilld-for-woocommerce'), $error->getMessage()));
        }
    }
}
